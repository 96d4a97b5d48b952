import { setTimeout as wait } from 'node:timers/promises';
import type { JsonObject } from '@keepsake/core';
import { throwIfAborted } from '@keepsake/core/adapter';
import { referenceStore } from '../reference.ts';
import { common, failure, instead, late, type Mutant, type Mutants, omit, running, tick } from './mutant.ts';

/** Later than what the kit waits for, on a busy machine too. */
const LATE_MS = 500;

const forgetsSignal = instead('put', (real) => (input, options) => real(input, omit(options, 'signal')));

export const isolationMutants: Mutants = {
  'changing a record after put changes nothing stored': instead('put', (real, _, { records }) => async (input, o) => {
    const record = await real(input, o);
    const known = records().get(record.id);
    if (known !== undefined) known.record = { ...known.record, metadata: (input.metadata ?? {}) as JsonObject };
    return record;
  }),
  'changing a record while put is in flight changes nothing stored': late('put'),
  'changing the records of a batch, before or after putMany is done, changes nothing stored': late('putMany'),
  'changing the metadata passed to add, before or after it is done, changes nothing stored': late('add'),
  'changing messages while addMessages is in flight changes nothing stored': late('addMessages'),
  'changing the results of put and putMany changes nothing stored': common.shares,
  'changing the result of get changes nothing stored': common.shares,
  'changing the result of list changes nothing stored': common.shares,
  'changing the result of search changes nothing stored': common.shares,
  'changing the result of add changes nothing stored': common.shares,
  'changing a filter while its search runs changes nothing in the search': late('search'),
};

const keepsIdentity = instead('within', (real) => (segments) => real(segments));

export const identityMutants: Mutants = {
  'a store has a name and is writable by default': { override: () => ({ name: '' }) },
  'a store has the identity it was opened with': { override: () => ({ name: 'reference' }) },
  'within keeps the identity': instead('within', (_, store, { tree }) => (segments) => {
    return referenceStore(tree, [...store.namespace, ...segments], {});
  }),
  'within keeps the directory of the files, if there is one': {
    override: ({ namespace }) => (namespace.length === 0 ? { directory: '/of/the/root' } : {}),
  },
  'within changes the given identity fields, only below': keepsIdentity,
  'the maxSearchResults passed to within applies to its searches': keepsIdentity,
  'an invalid identity is refused at once': instead('within', (real) => (segments, identity) => {
    return identity?.name === '' ? real(segments) : real(segments, identity);
  }),
  'a read-only store refuses every write, and nothing changes': instead('clear', (_, store, { tree }) => {
    return referenceStore(tree, store.namespace, {}).clear;
  }),
  'a read-only store can be read': instead('get', (real, store) => async (id) => {
    if (!store.writable) throw failure('READ_ONLY');
    return real(id);
  }),
  'stores below a read-only store are always read-only': instead(
    'within',
    (_, store, { tree }) =>
      (segments, identity) =>
        referenceStore(tree, [...store.namespace, ...segments], { writable: store.writable, ...identity }),
  ),
  'within can open a read-only store, and the original stays writable': keepsIdentity,
};

/** Accepts any options. */
const ignoresUnknown: Mutant = { expectKnown: <Options>(options: Options | undefined) => options ?? ({} as Options) };
/** Suggests no known option, and does not treat `undefined` as missing. */
const suggestsNothing: Mutant = {
  expectKnown<Options extends object>(options: Options | undefined, known: Readonly<Record<string, true>>) {
    if (Object.keys(options ?? {}).some((name) => !(name in known))) throw failure('INVALID_ARGUMENT');
    return options ?? ({} as Options);
  },
};

export const unknownOptionMutants: Mutants = {
  'a misspelt option of a call is refused with the nearest name, and the call does nothing': ignoresUnknown,
  'a misspelt option of a list is refused with the nearest name': suggestsNothing,
  'within accepts only an identity: no misspelt field, and no namespace': ignoresUnknown,
  'an option of undefined counts as missing, whatever its name': suggestsNothing,
};

/** Makes JSON of the metadata in its own way. */
const stringifies = instead(
  'put',
  (real) => async (input, options) =>
    real(
      { ...input, metadata: JSON.parse(JSON.stringify(input.metadata ?? {})) as NonNullable<typeof input.metadata> },
      options,
    ),
);

export const hostileValueMutants: Mutants = {
  'a write whose arguments throw when they are read is refused, and nothing is stored': instead(
    'put',
    (real) => async (input, options) => real({ ...input }, options),
  ),
  'a read whose arguments throw when they are read is refused': instead(
    'search',
    (real) => async (query, options) => real(query, { ...options }),
  ),
  'a list whose options throw when they are read is refused': instead(
    'list',
    (real) => async (options) => real({ ...options }),
  ),
  'a write reads each value once: what it has checked is what it stores': instead(
    'put',
    (real) => async (input, options) => {
      JSON.stringify(input);
      return real(input, options);
    },
  ),
  'a read reads each value once': instead('search', (real) => async (query, options) => {
    JSON.stringify(options);
    return real(query, options);
  }),
  'fields that are not enumerable are refused, not left out': stringifies,
  'lists are read by their indexes, whatever their iterators and methods do': instead(
    'putMany',
    (real) => async (records) => real([...records]),
  ),
  'any metadata with a part that is not JSON or that throws is refused, and nothing is stored': stringifies,
};

export const lifecycleMutants: Mutants = {
  'initialize, if present, can be called twice and concurrently, and loses nothing': {
    override: (store) => ({ initialize: async () => void (await store.clear()) }),
  },
  'a store works without initialize': {
    override: (store) => {
      let ready = false;
      return {
        initialize: async () => {
          ready = true;
        },
        get: async (id) => {
          if (!ready) throw failure('BACKEND');
          return store.get(id);
        },
      };
    },
  },
  'a closed store refuses every call': instead('close', () => async () => {}),
  'an unused store can be closed': {
    override: (store) => {
      let used = false;
      return {
        put: (input, options) => {
          used = true;
          return store.put(input, options);
        },
        close: async () => (used ? store.close() : undefined),
      };
    },
  },
  'closing twice or concurrently is not an error': instead('close', (real) => {
    let closed = false;
    return async () => {
      if (closed) throw failure('CLOSED');
      closed = true;
      await real();
    };
  }),
  'disposing of a store closes it': instead(Symbol.asyncDispose, () => async () => {}),
  'closing one instance does not affect the others': common.forgets,
  'closing a store from within does not affect its parent': instead('within', (real, store) => {
    return (segments, identity) => {
      const below = real(segments, identity);
      const { close } = below;
      return Object.assign(below, { close: () => Promise.all([close(), store.close()]).then(() => undefined) });
    };
  }),
  'close waits for writes in flight': instead('put', (real) => async (input, options) => {
    await wait(LATE_MS);
    return real(input, options);
  }),
  'close waits for writes of every kind': instead('add', (real) => async (content, metadata) => {
    const added = await real(content, metadata);
    await wait(LATE_MS);
    return added;
  }),
  'records outlive the instance that wrote them': common.forgets,
};

export const abortingMutants: Mutants = {
  'a put with an aborted signal writes nothing': forgetsSignal,
  'a put with an aborted signal replaces nothing': forgetsSignal,
  'a put aborted in flight is either done, or aborted and not written': instead('put', (real) => {
    return async (input, options) => {
      const record = await real(input, omit(options, 'signal'));
      throwIfAborted(options?.signal);
      return record;
    };
  }),
  'a search with an aborted signal rejects': instead('search', (real) => (query, options) => {
    return real(query, omit(options, 'signal'));
  }),
  'a list with an aborted signal rejects': instead('list', (real) => (options) => {
    return real(omit(options, 'signal'));
  }),
  'a list that is aborted before it has ended rejects': instead('list', (real) => async (options) => {
    const page = await real(options);
    await wait(LATE_MS);
    return page;
  }),
  'a search or a list that is aborted rejects at once, whatever it waits for': instead(
    'list',
    (real) => async (options) => {
      await wait(LATE_MS);
      return real(options);
    },
  ),
  'a signal that is not aborted, or only later, has no effect': instead('put', (real, store) => {
    return async (input, options) => {
      const record = await real(input, options);
      options?.signal?.addEventListener('abort', () => void store.delete(record.id));
      return record;
    };
  }),
};

export const concurrencyMutants: Mutants = {
  'many instances can be used concurrently for the first time': instead(
    'put',
    (real, _, { tree }) =>
      async (input, options) => {
        if (running.get(tree)) throw failure('BACKEND');
        running.set(tree, 1);
        return real(input, options).finally(() => running.delete(tree));
      },
  ),
  'concurrent batches are all stored completely': instead('putMany', (real, store, { tree }) => async (records) => {
    const other = running.get(tree) ?? 0;
    running.set(tree, other + 1);
    // Two writers read, change and write the same file, so one change is lost.
    const written = other > 0 ? await referenceStore({ places: new Map(), sequence: 0 }, [], {}).putMany(records) : [];
    return other > 0 ? written : real(records).finally(() => running.delete(tree) && store);
  }),
  'records of concurrent batches are listed in the order of their batch': common.backwards,
  'the records of a batch are adjacent in a list, whatever is put concurrently': common.oneByOne,
  'concurrent puts, deletes and searches affect no other record': instead('put', (real, _, { records }) => {
    return async (input, options) => {
      const snapshot = [...records()];
      const record = await real(input, options);
      for (const [id, known] of snapshot) if (!records().has(id)) records().set(id, known);
      return record;
    };
  }),
  'a read during replacements returns a whole record: never old and new mixed, never none': instead(
    'put',
    (real, store, { records }) =>
      async (input, options) => {
        const { metadata: given = {}, ...rest } = input;
        const metadata = given as JsonObject;
        const before = (await store.get(input.id ?? ''))?.metadata ?? {};
        const record = await real({ ...rest, metadata: before }, options);
        await tick();
        const known = records().get(record.id);
        if (known !== undefined) known.record = { ...known.record, metadata };
        return { ...record, metadata };
      },
  ),
  'of concurrent puts on one id, one is left, whole': common.mixes,
  '50 concurrent puts on one id create 50 versions one after the other, each once': common.racy,
  'of 20 concurrent creators with ifVersion 0, one wins, and the others get a conflict': common.racy,
  'a counter that is raised with ifVersion by many loses nothing': common.racy,
};

export const historyMutants: Mutants = {
  'after any history of calls, a store equals a map': common.moves,
  'after any history of calls in a tree, each namespace has and counts its own records': common.joins,
};
