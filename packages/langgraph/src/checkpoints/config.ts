import { expect } from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';
import type { RunnableConfig } from '@langchain/core/runnables';
import { readArgument } from '../arguments/read-argument.ts';

/** What a config says about checkpoints. */
export interface CheckpointPlace {
  readonly threadId: string;
  readonly ns: string;
  /** The checkpoint; missing for the latest. */
  readonly id?: string;
}

/** The fields of a config that name checkpoints, each of which can be missing. */
export interface NamedCheckpoints {
  readonly threadId: string | undefined;
  readonly ns: string | undefined;
  readonly id: string | undefined;
  /** The name of `id` in earlier versions of LangGraph. */
  readonly formerId: string | undefined;
}

/**
 * Reads a config, which can be missing. A `checkpoint_id` that is empty counts as missing.
 *
 * @param what - The path of the config.
 * @throws MemoryError `INVALID_ARGUMENT` for a config that is no object: it must not look like one that names no thread.
 */
export function readConfig(config: unknown, what = 'config'): NamedCheckpoints {
  return readArgument(what, () => {
    const configurable = readOptional(readOptional(config, what)?.configurable, `${what}.configurable`);
    const { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: id, thread_ts: formerId } = configurable ?? {};
    const text = (value: unknown, field: string, maxLength?: number) => {
      checkText(value, `${what}.configurable.${field}`, maxLength);
      return value;
    };
    return {
      threadId: threadId === undefined ? undefined : text(threadId, 'thread_id', 256),
      ns: ns === undefined || ns === '' ? ns : text(ns, 'checkpoint_ns'),
      id: id ? text(id, 'checkpoint_id', 128) : undefined,
      formerId: formerId ? text(formerId, 'thread_ts', 128) : undefined,
    };
  });
}

function readOptional(value: unknown, what: string): Readonly<Record<string, unknown>> | undefined {
  if (value === undefined || value === null) return undefined;
  expect(isObject(value), `\`${what}\` must be an object. Pass { configurable: { thread_id: … } }.`);
  return value;
}

/** The place that a config names, or `undefined` if it names no thread. */
export function findPlace(config: unknown): CheckpointPlace | undefined {
  const { threadId, ns = '', formerId, id = formerId } = readConfig(config);
  if (threadId === undefined) return undefined;
  return { threadId, ns, ...(id === undefined ? {} : { id }) };
}

/** @throws MemoryError `INVALID_ARGUMENT` if the config names no thread. */
export function expectPlace(config: unknown): CheckpointPlace {
  const place = findPlace(config);
  expect(place, 'The config has no `configurable.thread_id`. Pass { configurable: { thread_id: … } }.');
  return place;
}

export function toConfig(threadId: string, ns: string, id: string): RunnableConfig {
  return { configurable: { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: id } };
}

/** Throws `INVALID_ARGUMENT` unless a value is a text that can name a thread, a namespace or a checkpoint. */
export function checkText(value: unknown, what: string, maxLength = Infinity): asserts value is string {
  expect(typeof value === 'string' && value !== '', `\`${what}\` must be a string that is not empty.`);
  expect(value.length <= maxLength, `\`${what}\` must be at most ${maxLength} characters long.`);
  const isValid = value.isWellFormed() && !value.includes('\0');
  expect(isValid, `\`${what}\` must have no NUL and no lone surrogate.`);
}
