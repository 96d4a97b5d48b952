import type { JsonObject } from '@keepsake/core';
import { type Durability, SqliteSession, SqliteSessionStore, SqliteStore } from '../../src/index.ts';

/*
 * Changes step by step: another process makes them, and the test knows what they result in. Every step is one change, which
 * is made or not.
 */

export interface Plan {
  readonly file: string;
  readonly writer: string;
  readonly durability: Durability;
  /** The number of its first step. */
  readonly first: number;
}

interface Place {
  readonly session: SqliteSession;
  readonly store: SqliteStore;
  readonly sessions: SqliteSessionStore;
}

/** What a file must have: the items of its session and the contents of its records by id, oldest first. */
export interface State {
  readonly items: readonly JsonObject[];
  readonly records: ReadonlyMap<string, string>;
}

export const EMPTY: State = { items: [], records: new Map() };

export function openPlace({ file, durability }: Pick<Plan, 'file' | 'durability'>): Place {
  return {
    session: new SqliteSession({ file, durability, sessionId: 's' }),
    store: new SqliteStore({ file, durability, name: 'memory' }),
    sessions: new SqliteSessionStore({ file, durability }),
  };
}

/** The items of a step. Every ninth ones take several pages. */
function itemsOf(writer: string, n: number): JsonObject[] {
  const text = 'ä€💡\n'.repeat(n % 9 === 4 ? 2_000 : 3 * (n % 4));
  return Array.from({ length: 1 + (n % 5) }, (_, index) => ({ writer, n, index, text }));
}

/** The records of a step. Every second time, they replace those of the step before. */
function recordsOf(writer: string, n: number): { readonly id: string; readonly content: string }[] {
  return itemsOf(writer, n).map(({ index, text }) => ({
    id: `${writer} ${n - (n % 2)} ${index}`,
    content: `heron ${n} word${writer.replace('.', 'x')}x${n} ${text}`,
  }));
}

const KINDS = ['append', 'put', 'operate', 'put', 'pop', 'append', 'put', 'delete', 'compact', 'clear'] as const;

/** Clears are rare, so that there is something to clear. */
function kindOf(n: number): (typeof KINDS)[number] {
  const kind = KINDS[n % KINDS.length] as (typeof KINDS)[number];
  return kind === 'clear' && n % 30 !== 29 ? 'append' : kind;
}

export async function doStep({ session, store, sessions }: Place, writer: string, n: number): Promise<void> {
  switch (kindOf(n)) {
    case 'append':
      return session.addItems(itemsOf(writer, n));
    case 'operate': {
      const transaction = { type: 'append_items' as const, items: itemsOf(writer, n) };
      return void (await session.applyHistoryTransaction({ operationId: `${writer} ${n}`, transaction }));
    }
    case 'pop':
      return void (await session.popItem());
    case 'put':
      return void (await store.putMany(recordsOf(writer, n)));
    case 'delete':
      return void (await store.delete((recordsOf(writer, n - 1)[0] as { id: string }).id));
    case 'compact':
      return sessions.compact();
    case 'clear':
      return void (await store.clear());
  }
}

/** What a step results in. */
export function afterStep({ items, records }: State, writer: string, n: number): State {
  switch (kindOf(n)) {
    case 'append':
    case 'operate':
      return { items: [...items, ...itemsOf(writer, n)], records };
    case 'pop':
      return { items: items.slice(0, -1), records };
    case 'put':
      return {
        items,
        records: new Map([...records, ...recordsOf(writer, n).map((one) => [one.id, one.content] as const)]),
      };
    case 'delete': {
      const left = new Map(records);
      left.delete((recordsOf(writer, n - 1)[0] as { id: string }).id);
      return { items, records: left };
    }
    case 'compact':
      return { items, records };
    case 'clear':
      return { items, records: new Map() };
  }
}
