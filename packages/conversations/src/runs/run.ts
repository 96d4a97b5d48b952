import type { JsonInput, JsonObject, JsonObjectInput, JsonValue } from '@keepsake/core';
import {
  checkId,
  cloneJson,
  encodeItems,
  expect,
  expectKnownFields,
  type FieldNames,
  uuidv7,
} from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';
import { expectCount } from '../expect.ts';
import { withoutInjected } from '../handle/injected.ts';
import { type ConversationSession, type StoredSession, toKey } from './session.ts';

/** The state of a run. The history consists of `completed` runs. All others can be resumed, `running` ones once stale. */
export type RunStatus = 'running' | 'completed' | 'paused' | 'error' | 'cancelled';

const STATUSES: readonly unknown[] = ['running', 'completed', 'paused', 'error', 'cancelled'] satisfies RunStatus[];

export function expectStatus(status: unknown): asserts status is RunStatus {
  expect(STATUSES.includes(status), `status must be ${STATUSES.join(', ')}.`);
}

/** A run as the caller passes it. */
export interface RunInput<Item extends object = JsonObject> {
  /** By default a new one. An existing id replaces that run as a whole. */
  readonly runId?: string | undefined;
  readonly status: RunStatus;
  /** The input and output of this run, without the earlier history. */
  readonly items: readonly Item[];
  readonly agentId?: string | undefined;
  /** The run that started this one. */
  readonly parentRunId?: string | undefined;
  readonly output?: JsonInput | undefined;
  /** What the caller needs to resume: any JSON. Returned unchanged. Not stored in a completed run. */
  readonly checkpoint?: JsonInput | undefined;
  /** Not stored in a completed run. */
  readonly pauseReason?: string | undefined;
  readonly error?: JsonInput | undefined;
  readonly usage?: JsonObjectInput | undefined;
  /**
   * For another answer to an earlier message: the `seq` of a run. When this run completes, it removes that run and all
   * between them, in one step for readers of the history.
   */
  readonly replaces?: number | undefined;
  /** The expected stored version, 0 for none, else `CONFLICT`. @default Any version. */
  readonly version?: number | undefined;
}

/** The fields of an input, and of a stored run, which can be changed and saved again: its other fields are ignored. */
const RUN: FieldNames<RunInput & Run> = {
  runId: true,
  status: true,
  items: true,
  agentId: true,
  parentRunId: true,
  output: true,
  checkpoint: true,
  pauseReason: true,
  error: true,
  usage: true,
  replaces: true,
  version: true,
  seq: true,
  userId: true,
  createdAt: true,
  updatedAt: true,
};

/** A run as it is stored. Times are ISO 8601 with milliseconds, in UTC. */
export interface Run<Item extends object = JsonObject> {
  readonly runId: string;
  /** Its position among the runs of the session, from 1. Assigned at its first save, never changed. */
  readonly seq: number;
  readonly status: RunStatus;
  readonly items: readonly Item[];
  readonly userId?: string;
  readonly agentId?: string;
  readonly parentRunId?: string;
  readonly output?: JsonValue;
  readonly checkpoint?: JsonValue;
  readonly pauseReason?: string;
  readonly error?: JsonValue;
  readonly usage?: JsonObject;
  /** The `seq` of the first run that it replaces, or replaced. */
  readonly replaces?: number;
  /** Starts at 1 and rises by one with each save. */
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A run in a list: without its contents. */
export interface ListedRun extends Omit<Run, 'items' | 'output' | 'checkpoint'> {
  readonly key: ConversationSession['key'];
}

/** The stored form of a run, as one JSON text. */
export type RunBody = Omit<Run, 'runId' | 'seq' | 'status' | 'version' | 'createdAt' | 'updatedAt'>;

/** A run of a session as lists return it. */
export function toListed(run: Run, session: StoredSession, tenant: string | undefined): ListedRun {
  const { items, output, checkpoint, ...listed } = run;
  return { key: toKey(session, tenant), ...listed };
}

/** Whether a stored value is such a body: its items are objects. The other fields are only passed on. */
export function isRunBody(value: object): value is RunBody {
  const { items, replaces } = value as RunBody;
  const isReplacing = replaces === undefined || Number.isSafeInteger(replaces);
  return isReplacing && Array.isArray(items) && items.every((item) => isObject(item));
}

/** A checked copy of a run. */
export interface CheckedRun {
  readonly runId: string;
  readonly status: RunStatus;
  readonly version: number | undefined;
  readonly body: RunBody;
}

/**
 * Checks and copies a run, without injected blocks. Throws `INVALID_ARGUMENT` or `TOO_LARGE` for runs that can't be stored.
 */
export function checkRun(input: RunInput<object>): CheckedRun {
  expect(
    typeof input === 'object' && input !== null,
    "A run must be an object, such as { status: 'completed', items }.",
  );
  const run = expectKnownFields(input, RUN, 'run');
  const { runId = `run-${uuidv7()}`, status, items, version, agentId, parentRunId, replaces } = run;
  const { output, checkpoint, pauseReason, error, usage } = run;
  checkId(runId, 'runId');
  expectStatus(status);
  expectCount(version, 'version', 0);
  expectCount(replaces, 'replaces', 1);
  if (agentId !== undefined) checkId(agentId, 'agentId');
  if (parentRunId !== undefined) checkId(parentRunId, 'parentRunId');
  expect(pauseReason === undefined || typeof pauseReason === 'string', '`pauseReason` must be a string.');
  expect(usage === undefined || isObject(usage), 'usage must be an object, such as { inputTokens }.');
  // A completed run can't be resumed, and a checkpoint may be large.
  const resumable = status === 'completed' ? {} : { checkpoint, pauseReason };
  const fields = { agentId, parentRunId, output, ...resumable, error, usage, replaces };
  const copied = encodeItems(items).map((item) => JSON.parse(item) as JsonObject);
  const body = { ...cloneJson(fields, 'run'), items: withoutInjected(copied) };
  return { runId, status, version, body: body as RunBody };
}
