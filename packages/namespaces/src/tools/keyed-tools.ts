import type { JsonObject, MemoryEntry, MemoryTool, RecordStore } from '@keepsake/core';
import { escapeText } from '@keepsake/internal';
import type { ForgetShared } from '../space/agents.ts';
import { type Field, inputSchema, ToolInput } from './tool-input.ts';
import type { ToolScope } from './tool-scope.ts';

/** Finds the store of a call; returns a text for the model if there is none. */
export type FindPlace = (scope: ToolScope, input: ToolInput) => RecordStore | string;

/** The names and texts of the tools for one kind of memory. */
export interface Wording {
  /** Fields before all others. */
  readonly fields: readonly Field[];
  /** The pools that a model can choose from. */
  readonly pools: readonly string[];
  /** Name and description of each tool. */
  readonly write: readonly [name: string, description: string];
  readonly read: readonly [name: string, description: string];
  readonly search: readonly [name: string, description: string];
  readonly forget: readonly [name: string, description: string];
  readonly list: readonly [name: string, description: string];
  /** Optional fields of a write in addition to key and content. */
  readonly optional: readonly Field[];
  /** The noun for an entry: `memory`, `entry`. */
  readonly entry: string;
  /** Whose entries a model may remove, in memory that several write. */
  readonly forgetShared?: ForgetShared;
  /** The verb after a write: `Remembered`, `Shared`. */
  readonly written: string;
}

/** The five tools for one kind of memory. They differ only in their store, which no input can choose. */
export function keyedTools(current: () => ToolScope, words: Wording, find: FindPlace): MemoryTool[] {
  const make = (
    [name, description]: readonly [string, string],
    fields: readonly Field[],
    optional: readonly Field[],
    use: (place: RecordStore, input: ToolInput, signal: AbortSignal | undefined, scope: ToolScope) => Promise<string>,
  ): MemoryTool => ({
    name,
    description,
    inputSchema: inputSchema([...words.fields, ...fields], optional, words.pools),
    async execute(json, { signal } = {}) {
      const input = new ToolInput(json);
      const scope = current();
      const place = find(scope, input);
      return typeof place === 'string' ? place : use(place, input, signal, scope);
    },
  });
  const missing = (key: string) => `No ${words.entry} found for key '${keyText(key)}'.`;
  const forget = async (place: RecordStore, input: ToolInput, _: AbortSignal | undefined, { writer }: ToolScope) => {
    const key = input.text('key');
    const isChecked = words.forgetShared === 'own' && place.writable;
    const record = isChecked ? await place.get(key) : undefined;
    if (record !== undefined && record.metadata.writtenBy !== writer) {
      return `'${keyText(key)}' was written by somebody else, so only they can remove it.`;
    }
    // Another writer may replace it in the meantime.
    const isGone = await place.delete(key, { ifVersion: record?.version });
    return isGone ? `Forgot '${keyText(key)}'.` : missing(key);
  };
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
      const record = await place.get(key);
      if (record === undefined) return missing(key);
      return words.forgetShared === undefined ? record.content : sharedText(record);
    }),
    make(words.search, ['query'], ['top_k'], async (place, input, signal) => {
      const [query, maxSearchResults] = [input.text('query'), input.count('top_k', 5)];
      const entries = await place.search(query, { maxSearchResults, ...(signal && { signal }) });
      return listText(entries) || `No ${words.entry} fits that query.`;
    }),
    ...(words.forgetShared === 'none' ? [] : [make(words.forget, ['key'], [], forget)]),
    make(words.list, [], ['limit'], async (place, input, signal) => {
      const { items } = await place.list({ limit: input.count('limit', 20), ...(signal && { signal }) });
      return listText(items) || `There is no ${words.entry} yet.`;
    }),
  ];
}

/** The maximum length of a memory in a list, in characters. Reading it by its key returns all of it. */
const MAX_SHOWN = 1_000;

type Shown = Pick<MemoryEntry, 'id' | 'content' | 'metadata'>;

/** Memories for a model, one line each. Contents are escaped, so that no memory can pose as several. */
function listText(entries: readonly Shown[]): string {
  return entries.map((entry) => `- ${entryText(entry)}`).join('\n');
}

function entryText({ content, ...rest }: Shown): string {
  const cut = content.length > MAX_SHOWN ? `${content.slice(0, MAX_SHOWN).toWellFormed()}…` : content;
  return sharedText({ ...rest, content: cut });
}

/** A whole entry on one line, escaped, with its writer. */
function sharedText({ id, content, metadata }: Shown): string {
  return `${keyText(id ?? '')}: ${escapeText(content)}${byText(metadata)}`;
}

/** A key as a model sees it. */
function keyText(key: string): string {
  return escapeText(key);
}

function byText(metadata: JsonObject | undefined): string {
  const by = metadata?.writtenBy;
  return typeof by === 'string' ? ` (by ${escapeText(by)})` : '';
}
