import type { MemoryEntry } from '@keepsake/core';
import { RecordTable, type StoredRecord } from '@keepsake/search';

/** A turn, with defaults for everything but its text. */
export interface Said {
  readonly speaker?: string;
  readonly text: string;
  readonly at?: string;
  readonly thread?: string;
  readonly index?: number;
}

/** Parses `Ada: the text`. */
export function said(line: string, more: Omit<Said, 'text'> = {}): Said {
  const [, speaker = '', text = line] = /^(\w+): (.*)$/.exec(line) ?? [];
  return { text, ...(speaker === '' ? {} : { speaker }), ...more };
}

export function recordOf(created: number, { speaker, text, at, thread = 'talk', index = created }: Said): StoredRecord {
  const createdAt = new Date(at ?? Date.UTC(2020, 0, 1, 0, created)).toISOString();
  const turn = { thread, index, ...(speaker === undefined ? {} : { speaker }) };
  return {
    ...{ id: text, content: text, metadata: {}, version: 1, createdAt, updatedAt: createdAt, created, index: true },
    turn,
  };
}

/** A table whose records have their texts as ids. */
export function tableOf(...records: readonly StoredRecord[]): RecordTable {
  const table = new RecordTable({ read: (record: StoredRecord) => record });
  for (const record of records) table.put(record, record);
  return table;
}

/** A table of successive turns, by default in one thread. Strings are parsed by {@link said}. */
export function talk(...lines: readonly (string | Said)[]): RecordTable {
  return tableOf(...lines.map((line, n) => recordOf(n + 1, typeof line === 'string' ? said(line) : line)));
}

export function search(table: RecordTable, query: string, limit = 10): MemoryEntry[] {
  return table.search({ query, limit, rules: [], explain: true, now: new Date('2024-05-15T12:00:00Z') });
}

export function find(table: RecordTable, query: string, limit = 10): string[] {
  return search(table, query, limit).map(({ content }) => content);
}

/** The value of a signal for an entry: a summand or a factor of its score. */
export function signalOf(table: RecordTable, query: string, content: string, signal: string): number | undefined {
  const { explanation } = search(table, query, 100).find((entry) => entry.content === content) ?? {};
  return explanation?.sum[signal] ?? explanation?.factors[signal];
}
