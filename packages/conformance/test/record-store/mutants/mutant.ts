import { type FilterValue, MemoryError, type MemoryErrorCode, type RecordStore } from '@keepsake/core';
import type { FilterRule } from '@keepsake/core/adapter';
import { matchesFilter, putCount } from '@keepsake/core/adapter';
import { type Inside, type Parts, referenceStore, type Tree } from '../reference.ts';

/** The parts that break the reference in exactly one way. */
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

/** Returns a copy without some fields. */
export function omit<T extends object>(value: T | undefined, ...names: (keyof T)[]): T {
  return Object.fromEntries(Object.entries(value ?? {}).filter(([name]) => !names.includes(name as keyof T))) as T;
}

/** Repeats a refused put without a field. */
export function forgives(field: 'id' | 'createdAt' | 'turn' | 'source' | 'index' | 'metadata' | 'ttlMs'): Mutant {
  return instead(
    'put',
    (real) => (input, options) => real(input, options).catch(() => real(omit(input, field), options)),
  );
}

/** Reads its arguments only after the first await. */
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

/** Ignores the expiry of records in one kind of call. */
export function ignoresExpiryIn(use: Use): Mutant {
  return {
    alive: ({ expiresAt }, now) => now === use || expiresAt === undefined || Date.parse(expiresAt) > Date.now(),
  };
}

/** Only marks records as deleted, and ignores the mark in one kind of call. */
export function softDeletes(use: Use): Mutant {
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

/** The value of a rule that matches exactly one value. */
export function onlyValue(rule: FilterRule): FilterValue | undefined {
  return rule.operator === 'in' && !rule.not && rule.value.length === 1 ? rule.value[0] : undefined;
}

/** Evaluates filter rules with `judge`, or correctly if it returns `undefined`. */
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

/** The number of calls in flight per tree. */
export const running = new WeakMap<Tree, number>();

/** Mutants that several cases share. */
export const common = {
  /** Compares versions that it read before concurrent writes. */
  racy: { gap: true },
  /** Returns its stored objects. */
  shares: { copy: <T>(value: T): T => value },
  /** Every instance has its own records. */
  alone: { override: (store) => referenceStore({ places: new Map(), sequence: 0 }, store.namespace, {}) },
  /** A replaced record moves to the end of the list. */
  moves: instead('put', (real, _, { tree, records }) => async (input, options) => {
    const record = await real(input, options);
    const known = records().get(record.id);
    if (known !== undefined && putCount(record.version) > 1)
      records().set(record.id, { ...known, sequence: tree.sequence++ });
    return record;
  }),
  /** Uses offsets as cursors. */
  offsets: instead('list', (real) => async (options = {}) => {
    const { order = 'newest', limit = 100, cursor } = options;
    const start = Number(cursor ?? 0);
    const { items } = await real({ order, limit: 1_000 });
    const page = items.slice(start, start + limit);
    return start + limit < items.length ? { items: page, cursor: String(start + limit) } : { items: page };
  }),
  /** Writes a batch as separate puts. */
  oneByOne: instead('putMany', (_, store) => async (records) => {
    const written = [];
    for (const record of records) written.push(await store.put(record));
    return written;
  }),
  /** Writes a batch whatever versions its records have. */
  forgetsVersions: instead('putMany', (real) => (records) => real(records)),
  /** Writes a batch in reverse order. */
  backwards: instead('putMany', (real) => async (records) => (await real(records.toReversed())).toReversed()),
  /** Treats a common name prefix as a common namespace. */
  prefixes: {
    isBelow: (inner, outer) => inner.length > 0 && inner !== outer && inner.join(':').startsWith(outer.join(':')),
  },
  /** Uses the joined path as the key of a namespace. */
  joins: { place: (namespace) => namespace.join(':') },
  /** Replaces the content and keeps the metadata. */
  mixes: { replace: (next, before) => ({ ...next, metadata: before?.metadata ?? next.metadata }) },
  /** Deletes all records when one instance closes. */
  forgets: instead('close', (real, _, { tree }) => async () => {
    await real();
    tree.places.clear();
  }),
} satisfies Record<string, Mutant>;
