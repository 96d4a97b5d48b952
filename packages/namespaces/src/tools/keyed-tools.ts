import type { MemoryTool, RecordStore } from '@keepsake/core';
import type { MemoryScope } from '../scope/memory-scope.ts';
import { type Field, inputSchema, ToolInput } from './tool-input.ts';
import { keyText, listText } from './tool-text.ts';

/** Finds the place that a call is about; a text for the model where there is none. */
export type FindPlace = (scope: MemoryScope, input: ToolInput) => RecordStore | string;

/** How the tools for one kind of memory present themselves. */
export interface Wording {
  /** Fields that come before all others. */
  readonly fields: readonly Field[];
  /** The pools that a model may choose among. */
  readonly pools: readonly string[];
  /** What each tool is called, and what it is for. */
  readonly write: readonly [name: string, description: string];
  readonly read: readonly [name: string, description: string];
  readonly search: readonly [name: string, description: string];
  readonly forget: readonly [name: string, description: string];
  readonly list: readonly [name: string, description: string];
  /** What writing may be given beside the key and the content. */
  readonly optional: readonly Field[];
  /** What an entry is called: `memory`, `entry`. */
  readonly entry: string;
  /** What a write says: `Remembered`, `Shared`. */
  readonly written: string;
}

/** The five tools for one kind of memory. They are the same but for the place, which no input can choose. */
export function keyedTools(current: () => MemoryScope, words: Wording, find: FindPlace): MemoryTool[] {
  const make = (
    [name, description]: readonly [string, string],
    fields: readonly Field[],
    optional: readonly Field[],
    use: (place: RecordStore, input: ToolInput, signal: AbortSignal | undefined) => Promise<string>,
  ): MemoryTool => ({
    name,
    description,
    inputSchema: inputSchema([...words.fields, ...fields], optional, words.pools),
    async execute(json, { signal } = {}) {
      const input = new ToolInput(json);
      const place = find(current(), input);
      return typeof place === 'string' ? place : use(place, input, signal);
    },
  });
  const missing = (key: string) => `No ${words.entry} found for key '${keyText(key)}'.`;
  return [
    make(words.write, ['key', 'content'], words.optional, async (place, input, signal) => {
      const [key, content, source] = [input.text('key'), input.text('content'), input.optionalText('source')];
      await place.put(
        { id: key, content, ...(source !== undefined && { metadata: { source } }) },
        signal && { signal },
      );
      return `${words.written} '${keyText(key)}'.`;
    }),
    make(words.read, ['key'], [], async (place, input) => {
      const key = input.text('key');
      return (await place.get(key))?.content ?? missing(key);
    }),
    make(words.search, ['query'], ['top_k'], async (place, input, signal) => {
      const [query, maxSearchResults] = [input.text('query'), input.count('top_k', 5)];
      const found = await place.search(query, { maxSearchResults, ...(signal && { signal }) });
      return listText(found) || `No ${words.entry} fits that query.`;
    }),
    make(words.forget, ['key'], [], async (place, input) => {
      const key = input.text('key');
      return (await place.delete(key)) ? `Forgot '${keyText(key)}'.` : missing(key);
    }),
    make(words.list, [], ['limit'], async (place, input, signal) => {
      const { items } = await place.list({ limit: input.count('limit', 20), ...(signal && { signal }) });
      return listText(items) || `There is no ${words.entry} yet.`;
    }),
  ];
}
