import { checkId, cloneJson, encodeItems, type JsonObject, type JsonValue } from '@keepsake/core';
import { expect, expectCount } from '../expect.ts';
import { withoutInjected } from '../handle/injected.ts';
import { isJsonObject } from '../summary/json-answer.ts';

/** How a run stands. Of `completed` ones the history is made; all others can be resumed, `running` ones once stale. */
export type RunStatus = 'running' | 'completed' | 'paused' | 'error' | 'cancelled';

const STATUSES: readonly unknown[] = ['running', 'completed', 'paused', 'error', 'cancelled'] satisfies RunStatus[];

/** What a caller says of a run. */
export interface RunInput<Item extends object = JsonObject> {
  /** By default a fresh one. A known one replaces that run, whole. */
  readonly runId?: string;
  readonly status: RunStatus;
  /** What came in with this run and out of it, without the history before it. */
  readonly items: readonly Item[];
  readonly agentId?: string | undefined;
  /** The run that began this one. */
  readonly parentRunId?: string | undefined;
  readonly output?: JsonValue | undefined;
  /** What the caller needs to go on from here: any JSON. It comes back as it is. */
  readonly checkpoint?: JsonValue | undefined;
  readonly pauseReason?: string | undefined;
  readonly error?: JsonValue | undefined;
  readonly usage?: JsonObject | undefined;
  /** The run is to be stored in this version, 0 for not at all; else `CONFLICT`. By default in any. */
  readonly version?: number | undefined;
}

/** A run as it is stored. Times are ISO 8601 with milliseconds, in UTC. */
export interface Run<Item extends object = JsonObject> {
  readonly runId: string;
  /** Its place among the runs of the session, from 1 on: given at its first save, and never changed. */
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
  /** 1 at first, one more at each save. */
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What is stored of a run as one JSON text. */
export type RunBody = Omit<Run, 'runId' | 'seq' | 'status' | 'version' | 'createdAt' | 'updatedAt'>;

/** A run that was checked and copied. */
export interface CheckedRun {
  readonly runId: string;
  readonly status: RunStatus;
  readonly version: number | undefined;
  readonly body: RunBody;
}

/** Checks and copies a run, without what was injected; `INVALID_ARGUMENT` or `TOO_LARGE` for what can't be stored. */
export function checkRun(input: RunInput<object>, runId: string): CheckedRun {
  expect(
    typeof input === 'object' && input !== null,
    "A run is to be an object, such as { status: 'completed', items }.",
  );
  const { status, items, version, agentId, parentRunId, output, checkpoint, pauseReason, error, usage } = input;
  checkId(runId, 'runId');
  expect(STATUSES.includes(status), `status is to be ${STATUSES.join(', ')}.`);
  expectCount(version, 'version', 0);
  if (agentId !== undefined) checkId(agentId, 'agentId');
  if (parentRunId !== undefined) checkId(parentRunId, 'parentRunId');
  expect(pauseReason === undefined || typeof pauseReason === 'string', 'pauseReason is to be a text.');
  expect(usage === undefined || isJsonObject(usage), 'usage is to be an object, such as { inputTokens }.');
  const given = { agentId, parentRunId, output, checkpoint, pauseReason, error, usage };
  const copied = encodeItems(items).map((item) => JSON.parse(item) as JsonObject);
  const body = { ...cloneJson(given, 'run'), items: withoutInjected(copied) };
  return { runId, status, version, body: body as RunBody };
}
