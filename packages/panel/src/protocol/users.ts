import type { PageOf } from './api.ts';
import type { PrincipalRef } from './records.ts';

// GET users?search=&cursor=&limit=

/** Everybody who has memories, conversations or sessions, sorted by id. */
export interface UsersPage extends PageOf<UserRow> {
  /** `true` if there are older sessions than were looked at, so that somebody who has no more than those is missing. */
  readonly moreSessions: boolean;
}

export interface UserRow extends PrincipalRef {
  readonly recordCount: number;
  readonly namespaces: number;
  readonly agents: readonly string[];
  readonly conversations: number;
  readonly sessions: number;
}

// GET user?id=&type=&shared=

/** What `eraseUser` would remove now. Nothing was changed. */
export interface UserDetail {
  readonly principal: PrincipalRef;
  readonly counts: ErasedCounts;
  readonly places: readonly UserPlace[];
}

export interface UserPlace {
  readonly namespace: string;
  readonly kind: 'memory' | 'outbox' | 'shared';
  readonly recordCount: number;
}

export interface ErasedCounts {
  readonly memories: number;
  readonly outboxRecords: number;
  /** Entries they wrote in pools and teams; 0 unless asked with `shared`. */
  readonly sharedEntries: number;
  readonly damagedEntries: number;
  /** Sessions and namespaces whose name is lost by damage, so that they may be of anybody. They are not erased. */
  readonly unidentified: number;
  readonly sessions: number;
  readonly sessionItems: number;
  readonly conversations: number;
  readonly runs: number;
  readonly profiles: number;
}

// GET user/export?id=&type= answers JSON lines as a download.

// POST user/erase

export interface EraseUser {
  readonly id: string;
  readonly type: 'user' | 'service';
  readonly shared: boolean;
  /** The id again, typed by a person. */
  readonly confirm: string;
}

export interface ErasureReceipt {
  readonly principal: PrincipalRef;
  readonly counts: ErasedCounts;
  readonly places: readonly UserPlace[];
  /** When a full pass found nothing left. */
  readonly completedAt: string;
  /** The whole receipt, for a file. */
  readonly receipt: object;
}
