import { isMemoryError, type JsonValue, type MemoryErrorCode, type MemoryTool } from '@keepsake/core';
import { AbstractRecordStore } from '@keepsake/core/adapter';
import { expect, onTestFinished, vi } from 'vitest';
import type { MemoryScope } from '../src/index.ts';
import type { Place } from './backends/backend.ts';

/** Fails unless a call is refused with this code and a message that matches. */
export async function refused(call: () => unknown, code: MemoryErrorCode, words: RegExp): Promise<void> {
  const error = await (async () => call())().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(isMemoryError(error, code), `expected ${code}, got: ${error}`).toBe(true);
  expect((error as Error).message).toMatch(words);
}

/** Calls a tool by name. */
export async function call(
  tools: MemoryScope | readonly MemoryTool[],
  name: string,
  input: JsonValue = {},
): Promise<string> {
  const list = 'tools' in tools ? tools.tools() : tools;
  const tool = list.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}, but ${list.map((one) => one.name).join(', ')}.`);
  return String(await tool.execute(input));
}

/** Contents by namespace. */
export async function contents({ store }: Pick<Place, 'store'>): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const { namespace } of (await store.namespaces({ limit: 1_000 })).items) {
    const { items } = await store.within(namespace).list({ order: 'oldest', limit: 1_000 });
    found[namespace.join(':')] = items.map(({ content }) => content);
  }
  return found;
}

/** All items, in order. */
export async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** Does some work between the next deletion's call and the deletion, as another process could. */
export function beforeNextDeletion(work: () => Promise<unknown>): void {
  const { delete: remove } = AbstractRecordStore.prototype;
  const deletions = vi.spyOn(AbstractRecordStore.prototype, 'delete');
  onTestFinished(() => deletions.mockRestore());
  deletions.mockImplementationOnce(async function (this: AbstractRecordStore, ...given) {
    await work();
    return remove.apply(this, given);
  });
}
