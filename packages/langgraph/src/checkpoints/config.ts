import { expect } from '@keepsake/core/adapter';
import type { RunnableConfig } from '@langchain/core/runnables';
import { getCheckpointId } from '@langchain/langgraph-checkpoint';

/** What a config says about checkpoints. */
export interface CheckpointPlace {
  readonly threadId: string;
  readonly ns: string;
  /** The checkpoint; missing for the latest. */
  readonly id?: string;
}

/** The place that a config names, or `undefined` if it names no thread. */
export function findPlace(config: RunnableConfig): CheckpointPlace | undefined {
  const { thread_id: threadId, checkpoint_ns: ns = '' } = config?.configurable ?? {};
  if (threadId === undefined) return undefined;
  const id = getCheckpointId(config);
  checkText(threadId, 'thread_id', 256);
  if (ns !== '') checkText(ns, 'checkpoint_ns');
  if (id !== '') checkText(id, 'checkpoint_id', 128);
  return { threadId, ns, ...(id === '' ? {} : { id }) };
}

/** @throws MemoryError `INVALID_ARGUMENT` if the config names no thread. */
export function expectPlace(config: RunnableConfig): CheckpointPlace {
  const place = findPlace(config);
  expect(place, 'The config has no `configurable.thread_id`. Pass { configurable: { thread_id: … } }.');
  return place;
}

export function toConfig(threadId: string, ns: string, id: string): RunnableConfig {
  return { configurable: { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: id } };
}

export function checkText(value: unknown, field: string, maxLength = Infinity): asserts value is string {
  expect(typeof value === 'string' && value !== '', `\`configurable.${field}\` must be a string that is not empty.`);
  expect(value.length <= maxLength, `\`configurable.${field}\` must be at most ${maxLength} characters long.`);
  const isValid = value.isWellFormed() && !value.includes('\0');
  expect(isValid, `\`configurable.${field}\` must have no NUL and no lone surrogate.`);
}
