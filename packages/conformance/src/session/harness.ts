import type { DurableSession, Session } from '@keepsake/core';
import type { Case, CaseGroup, Closable } from '../kit.ts';

/** A place where sessions can be opened. */
export interface SessionHarness extends Closable {
  /**
   * A new instance of the session of that id; one of a fresh id where none is given. Two instances of one id work on
   * the same data, as two processes would where the backend is shared. A `DurableSession`, unless `durable` is false.
   */
  open(sessionId?: string): Session;

  /** Damages one stored item, as a failing disk would; 0 is the oldest. Needed where `canDamage`. */
  damage?(sessionId: string, index: number): void | Promise<void>;

  /** Makes every call to the backend fail until {@link heal}, as a lost connection would. Needed where `canFail`. */
  fail?(): void | Promise<void>;

  /** Ends what {@link fail} began. */
  heal?(): void | Promise<void>;
}

/** A place as cases see it: those that are not for every session call what only a `DurableSession` has. */
export interface DurableHarness extends SessionHarness {
  open(sessionId?: string): DurableSession;
}

/** What a session backend promises beyond the contract that all keep. */
export interface SessionCapabilities {
  /** Whether items outlive the instance: a second instance of the same id sees them. */
  readonly shared: boolean;
  /** Whether the id stays the same after `clearSession()`. */
  readonly keepsIdOnClear: boolean;
  /** Whether any JSON object can be an item; otherwise only items that the backend's API knows. */
  readonly anyItem: boolean;
  /** Whether the caller may choose any id, and gets a UUID version 7 otherwise; else the backend makes the ids. */
  readonly anyId: boolean;
  /**
   * Whether it is a `DurableSession`, which most are; otherwise a plain `Session` without transactions, mutations and
   * compaction. By default yes.
   */
  readonly durable?: boolean;
  /** How many items of a batch land in one step; of a larger one, others may see a part. By default any number. */
  readonly batchItems?: number;
  /** Whether the harness can damage what is stored. */
  readonly canDamage?: boolean;
  /** Whether the harness can make the backend fail. */
  readonly canFail?: boolean;
}

export type SessionCase = Case<DurableHarness, SessionCapabilities>;
export type SessionCaseGroup = CaseGroup<DurableHarness, SessionCapabilities>;

/* Conditions of cases. */
export const shared = (capabilities: SessionCapabilities) => capabilities.shared;
export const anyItem = (capabilities: SessionCapabilities) => capabilities.anyItem;
export const anyId = (capabilities: SessionCapabilities) => capabilities.anyId;
export const keepsIdOnClear = (capabilities: SessionCapabilities) => capabilities.keepsIdOnClear;
export const durable = (capabilities: SessionCapabilities) => capabilities.durable !== false;

/** A case of what only a `DurableSession` has. */
export function whereDurable(one: SessionCase): SessionCase {
  return { ...one, when: (capabilities) => durable(capabilities) && (one.when?.(capabilities) ?? true) };
}

/**
 * Several instances of one new session. Where instances share nothing it is one instance, several times: what holds
 * among instances must hold among the callers of one.
 */
export async function openTogether(
  harness: DurableHarness,
  capabilities: SessionCapabilities,
  count: number,
): Promise<[DurableSession, DurableSession, ...DurableSession[]]> {
  const first = harness.open();
  const sessionId = await first.getSessionId();
  const open = () => (capabilities.shared ? harness.open(sessionId) : first);
  return [open(), open(), ...Array.from({ length: count - 2 }, open)];
}
