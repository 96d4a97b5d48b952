import type { JsonObject, MemoryRecord } from '@keepsake/core';
import { isObject, withoutUndefined } from '@keepsake/internal';
import { includes, NO_PROGRESS, type Progress } from '../processing/progress.ts';
import type { ConversationKind } from './kind.ts';

/** A session. Times are ISO 8601 with milliseconds, in UTC. */
export interface ConversationSession {
  readonly key: { readonly kind: ConversationKind; readonly sessionId: string; readonly tenant?: string };
  /** The owner; missing if no run named a user. */
  readonly userId?: string;
  /** The agent of the first run that named one. */
  readonly agentId?: string;
  readonly metadata: JsonObject;
  /** The summary up to the run with that `seq`. */
  readonly summary?: { readonly text: string; readonly throughSeq: number };
  /** The newest runs, by `seq`, that the summary or the profile leaves out because the model refused them several times. */
  readonly skipped?: { readonly summary?: readonly number[]; readonly profile?: readonly number[] };
  /** Starts at 1 and rises by one with each change. */
  readonly version: number;
  readonly createdAt: string;
  /** The time of the last saved run or change. */
  readonly updatedAt: string;
}

/** The stored form of a session, as one JSON text. */
export interface SessionBody {
  readonly agentId?: string;
  readonly metadata: JsonObject;
  readonly summary?: string;
  readonly summarised?: Progress;
  /** The summary before the last update, in case an item is undone. */
  readonly summaryBefore?: { readonly text?: string; readonly progress: Progress };
  /** How many times items were undone. */
  readonly undone?: number;
  readonly analysed?: Progress;
  /** The history begins after the run of this `seq`. */
  readonly clearedThrough?: number;
  /** Earlier runs that were not complete then and have completed since. */
  readonly completedSince?: readonly number[];
}

export function isSessionBody(value: object): value is SessionBody {
  const { agentId, metadata, summary, summarised, summaryBefore, undone, analysed, clearedThrough, completedSince } =
    value as SessionBody;
  return (
    isObject(metadata) &&
    [agentId, summary].every((text) => text === undefined || typeof text === 'string') &&
    [summarised, analysed].every((progress) => progress === undefined || isProgress(progress)) &&
    (summaryBefore === undefined || (isObject(summaryBefore) && isProgress(summaryBefore.progress))) &&
    [undone, clearedThrough].every((count) => count === undefined || Number.isSafeInteger(count)) &&
    (completedSince === undefined || isWholes(completedSince))
  );
}

function isProgress(value: Progress): boolean {
  return isObject(value) && Number.isSafeInteger(value.throughSeq) && isWholes(value.late);
}

function isWholes(value: unknown): boolean {
  return Array.isArray(value) && value.every(Number.isSafeInteger);
}

/** The start of a history: after the run with a `seq`, plus some earlier runs. */
export interface HistoryStart {
  readonly after: number;
  readonly since: readonly number[];
  /** The history ends before the run with this `seq`. */
  readonly before?: number | undefined;
}

/** A stored session. */
export interface StoredSession {
  readonly kind: ConversationKind;
  readonly sessionId: string;
  readonly userId: string | undefined;
  readonly body: SessionBody;
  readonly record: MemoryRecord;
}

/** The result of a change. */
export interface SessionChange {
  readonly userId?: string | undefined;
  readonly body: SessionBody;
}

export function historyStart({ clearedThrough = 0, completedSince = [] }: SessionBody): HistoryStart {
  return { after: clearedThrough, since: completedSince };
}

/** Records that a run completes that may have been pending while the history was cleared. */
export function noteCompletedSince(body: SessionBody, seq: number): SessionBody {
  const { clearedThrough = 0, completedSince = [] } = body;
  if (seq > clearedThrough || completedSince.includes(seq)) return body;
  return { ...body, completedSince: [...completedSince, seq] };
}

/**
 * A session whose summary does not include an undone item of a run: it goes back to the summary before that run or, if that
 * is unknown, to none. The runs since then are summarised again.
 */
export function withoutUndone({ summary, summaryBefore, ...fields }: SessionBody, seq: number): SessionBody {
  const body = { ...fields, undone: (fields.undone ?? 0) + 1 };
  const { summarised = NO_PROGRESS, clearedThrough = 0, completedSince = [] } = fields;
  if (summary === undefined || !includes(summarised, seq)) {
    return { ...body, ...withoutUndefined({ summary, summaryBefore }) };
  }
  const isKnown = summaryBefore !== undefined && !includes(summaryBefore.progress, seq);
  const back = isKnown ? summaryBefore : { progress: { throughSeq: clearedThrough, late: completedSince } };
  const { text, progress } = back as NonNullable<SessionBody['summaryBefore']>;
  const late = [...new Set([...progress.late, ...summarised.late])];
  return { ...body, ...withoutUndefined({ summary: text }), summarised: { ...summarised, ...progress, late } };
}

/** A session as returned to callers. */
export function toSession(stored: StoredSession, tenant: string | undefined): ConversationSession {
  const { userId, body, record } = stored;
  const { agentId, metadata, summary, summarised, analysed } = body;
  const skipped = withoutUndefined({ summary: summarised?.skipped, profile: analysed?.skipped });
  return {
    key: toKey(stored, tenant),
    ...(userId === undefined ? {} : { userId }),
    ...(agentId === undefined ? {} : { agentId }),
    metadata,
    ...(summary === undefined ? {} : { summary: { text: summary, throughSeq: summarised?.throughSeq ?? 0 } }),
    ...(Object.keys(skipped).length === 0 ? {} : { skipped }),
    version: record.version,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  };
}

export function toKey(
  { kind, sessionId }: Pick<StoredSession, 'kind' | 'sessionId'>,
  tenant: string | undefined,
): ConversationSession['key'] {
  return { kind, sessionId, ...(tenant === undefined ? {} : { tenant }) };
}
