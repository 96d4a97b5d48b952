import type { PageOf, ShownText } from './api.ts';
import type { RecordDetail } from './records.ts';

// GET conversations?user=&kind=&cursor=&limit=

export interface ConversationRow {
  readonly kind: ConversationKind;
  readonly sessionId: string;
  readonly userId?: string;
  readonly agentId?: string;
  readonly summary?: ShownText;
  readonly createdAt: string;
  readonly updatedAt: string;
}

// GET conversation?kind=&sessionId=&cursor=&limit=

export interface ConversationDetail extends ConversationRow {
  readonly metadata: { readonly [field: string]: unknown };
  readonly summaryThroughSeq?: number;
  /** What is known of its user. */
  readonly profile?: { readonly scope: 'user' | 'session'; readonly data: { readonly [field: string]: unknown } };
  /** Newest first. */
  readonly runs: PageOf<RunRow>;
}

// GET sessions?prefix=&user=&type=&cursor=&limit= answers PageOf<SessionRow>. With a user, those of that user or service: a
// page can have fewer or more than `limit` then.

export interface SessionRow {
  readonly sessionId: string;
  readonly itemCount: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

// GET session?id=&skip=&limit=

/** The newest items, oldest first, without the `skip` newest. */
export interface SessionTimeline {
  readonly sessionId: string;
  readonly items: readonly TimelineItem[];
  /** Pass it to get the items before; missing at the beginning, and where they are cut off. */
  readonly nextSkip?: number;
  /** `true` if there are older items, which the panel does not show. */
  readonly cutOff?: boolean;
}

export interface TimelineItem {
  /** Its position: in a session, from the end (0 is the newest); in a run, from the beginning. */
  readonly position: number;
  readonly kind: 'message' | 'toolCall' | 'toolResult' | 'reasoning' | 'other';
  readonly role?: string;
  /** For `toolCall` its arguments, for `toolResult` its output, for `other` its JSON. */
  readonly content: ShownText;
  readonly toolName?: string;
  /** Pairs a call with its result. */
  readonly callId?: string;
  /** A message of some frameworks has its calls inside. */
  readonly calls?: readonly TimelineItem[];
}

// GET session/item?id=&position=&offset= and run/item?kind=&sessionId=&runId=&position=&offset= answer TextPiece of the JSON.

export type ConversationKind = 'agent' | 'team' | 'workflow';

export type RunStatus = 'running' | 'completed' | 'paused' | 'error' | 'cancelled';

export interface RunRow {
  readonly kind: ConversationKind;
  readonly sessionId: string;
  readonly runId: string;
  readonly seq: number;
  readonly status: RunStatus;
  readonly userId?: string;
  readonly agentId?: string;
  readonly parentRunId?: string;
  readonly pauseReason?: string;
  /** As JSON. */
  readonly error?: ShownText;
  readonly usage?: { readonly [field: string]: unknown };
  readonly createdAt: string;
  readonly updatedAt: string;
}

// GET runs?status=&user=&cursor=&limit= answers PageOf<RunRow>: unfinished runs of all sessions.

// GET run?kind=&sessionId=&runId=

export interface RunDetail extends RunRow {
  readonly items: readonly TimelineItem[];
  /** Items beyond the first 500 are left out. */
  readonly moreItems: number;
  readonly output?: ShownText;
  /** What another process gets when it resumes the run. */
  readonly resume: {
    readonly resumable: boolean;
    /** As JSON. */
    readonly checkpoint?: ShownText;
  };
}

// GET live?namespace=&descendants=&seen=

/** The records on the screen, by namespace, as JSON in `seen`: at most `LIMITS.seenRecords`. */
export type SeenRecords = readonly (readonly [namespace: string, ids: readonly string[]])[];

/** Poll it every few seconds. */
export interface Live {
  /** If it is another than before, records appeared or went: load the page again. */
  readonly mark: string;
  /** The records of `seen` as they are now, in their order; `null` for one that is gone. */
  readonly seen: readonly (RecordState | null)[];
}

/** Changes whenever the record does. */
export type RecordState = Pick<RecordDetail, 'version' | 'updatedAt' | 'validUntil'>;
