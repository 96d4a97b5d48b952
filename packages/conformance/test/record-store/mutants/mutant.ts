import type { FilterRule } from '@keepsake/core';
import { MemoryError, type MemoryErrorCode, matchesFilter, type RecordStore } from '@keepsake/core';
import { type Inside, type Parts, referenceStore, type Tree } from '../reference.ts';

/** The reference, broken in just one way. */
export type Mutant = Partial<Parts>;

/** One mutant for each case, by the title of the case. */
export type Mutants = { readonly [title: string]: Mutant };

type Method = {
  [Name in keyof RecordStore]-?: NonNullable<RecordStore[Name]> extends (...args: never[]) => unknown ? Name : never;
}[keyof RecordStore];

/** A store with another implementation of one method. */
export function instead<Name extends Method>(
  name: Name,
  make: (real: NonNullable<RecordStore[Name]>, store: RecordStore, inside: Inside) => NonNullable<RecordStore[Name]>,
): Mutant {
  return {
    override: (store, inside) => ({
      [name]: make(store[name] as NonNullable<RecordStore[Name]>, store, inside),
    }),
  };
}

/** Without some of its fields. */
export function omit<T extends object>(value: T | undefined, ...names: (keyof T)[]): T {
  return Object.fromEntries(Object.entries(value ?? {}).filter(([name]) => !names.includes(name as keyof T))) as T;
}

/** Puts without a field what was refused with it. */
export function forgives(field: 'id' | 'createdAt' | 'turn' | 'index' | 'metadata' | 'ttlMs'): Mutant {
  return instead(
    'put',
    (real) => (input, options) => real(input, options).catch(() => real(omit(input, field), options)),
  );
}

/** Starts only after the caller has gone on, and reads its arguments then. */
export function late<Name extends 'put' | 'putMany' | 'add' | 'addMessages' | 'search'>(name: Name): Mutant {
  return {
    override: (store) => {
      const real = store[name] as (...args: unknown[]) => Promise<unknown>;
      return {
        [name]: async (...args: unknown[]) => {
          await Promise.resolve();
          return real(...args);
        },
      };
    },
  };
}

type Use = Parameters<Parts['alive']>[1];

/** Does not end for one use the life of records whose time is over. */
export function immortalIn(use: Use): Mutant {
  return {
    alive: ({ expiresAt }, now) => now === use || expiresAt === undefined || Date.parse(expiresAt) > Date.now(),
  };
}

/** Marks records as deleted rather than remove them, and forgets to look at the mark for one use. */
export function buriesAlive(use: Use): Mutant {
  return {
    alive: ({ metadata }, now) => now === use || metadata.deleted !== true,
    override: (store, { tree, parts, records }) => ({
      async delete(id) {
        const known = records().get(id);
        if (known === undefined || known.record.metadata.deleted === true) return false;
        known.record = { ...known.record, metadata: { deleted: true } };
        return true;
      },
      async clear() {
        for (const place of tree.places.values()) {
          if (!parts.isBelow(place.namespace, store.namespace) && place.records !== records()) continue;
          for (const known of place.records.values()) known.record = { ...known.record, metadata: { deleted: true } };
        }
        return 0;
      },
    }),
  };
}

/** Judges some rules of a filter in its own way: where `judge` is undefined, as one should. */
export function judges(judge: (rule: FilterRule, value: unknown) => boolean | undefined): Mutant {
  return {
    passes: (rules, record) =>
      rules.every((rule) => {
        const value = Object.hasOwn(record.metadata, rule.field) ? record.metadata[rule.field] : undefined;
        return judge(rule, value) ?? matchesFilter([rule], record);
      }),
  };
}

export function failure(code: MemoryErrorCode): MemoryError {
  return new MemoryError(code, 'Broken on purpose.');
}

export function tick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** How many calls of a kind run on a tree at this moment. */
export const running = new WeakMap<Tree, number>();

/** What several cases have in common. */
export const common = {
  /** Compares versions that it read before others wrote, and checks before it waits. */
  racy: { gap: true },
  /** Gives out what it holds. */
  shares: { copy: <T>(value: T): T => value },
  /** Every instance holds records of its own. */
  alone: { override: (store) => referenceStore({ places: new Map(), sequence: 0 }, store.namespace, {}) },
  /** A replaced record moves to the end of the list. */
  moves: instead('put', (real, _, { tree, records }) => async (input, options) => {
    const record = await real(input, options);
    const known = records().get(record.id);
    if (known !== undefined && record.version > 1) records().set(record.id, { ...known, sequence: tree.sequence++ });
    return record;
  }),
  /** Counts records rather than remember where a page ended. */
  offsets: instead('list', (real) => async (options = {}) => {
    const { order = 'newest', limit = 100, cursor } = options;
    const start = Number(cursor ?? 0);
    const { items } = await real({ order, limit: 1_000 });
    const page = items.slice(start, start + limit);
    return start + limit < items.length ? { items: page, cursor: String(start + limit) } : { items: page };
  }),
  /** A batch is many puts. */
  oneByOne: instead('putMany', (_, store) => async (records) => {
    const written = [];
    for (const record of records) written.push(await store.put(record));
    return written;
  }),
  /** A batch is written from its end. */
  backwards: instead('putMany', (real) => async (records) => (await real(records.toReversed())).toReversed()),
  /** What is above has all that begins alike below it. */
  prefixes: {
    isBelow: (inner, outer) => inner.length > 0 && inner !== outer && inner.join(':').startsWith(outer.join(':')),
  },
  /** The joined path is the key of a place. */
  joins: { place: (namespace) => namespace.join(':') },
  /** Replaces the content and keeps the metadata. */
  mixes: { replace: (next, before) => ({ ...next, metadata: before?.metadata ?? next.metadata }) },
  /** Forgets all records at the end of one instance. */
  forgets: instead('close', (real, _, { tree }) => async () => {
    await real();
    tree.places.clear();
  }),
} satisfies Record<string, Mutant>;
