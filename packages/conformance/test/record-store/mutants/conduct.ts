import { setTimeout as wait } from 'node:timers/promises';
import { throwIfAborted } from '@keepsake/core';
import { referenceStore } from '../reference.ts';
import { common, failure, instead, late, type Mutants, omit, running, tick } from './mutant.ts';

const forgetsSignal = instead('put', (real) => (input, options) => real(input, omit(options, 'signal')));

export const isolationMutants: Mutants = {
  'changing what was put changes nothing that is stored': instead('put', (real, _, { records }) => async (input, o) => {
    const record = await real(input, o);
    const known = records().get(record.id);
    if (known !== undefined) known.record = { ...known.record, metadata: input.metadata ?? {} };
    return record;
  }),
  'changing what is being put, before put is done, changes nothing that is stored': late('put'),
  'changing the records of a batch, before or after putMany is done, changes nothing that is stored': late('putMany'),
  'changing the metadata of an add, before or after it is done, changes nothing that is stored': late('add'),
  'changing messages, before addMessages is done, changes nothing that is stored': late('addMessages'),
  'changing what put and putMany gave changes nothing that is stored': common.shares,
  'changing what get gave changes nothing that is stored': common.shares,
  'changing what list gave changes nothing that is stored': common.shares,
  'changing what search gave changes nothing that is stored': common.shares,
  'changing what add gave changes nothing that is stored': common.shares,
  'changing a filter while its search runs changes nothing in the search': late('search'),
};

const keepsIdentity = instead('within', (real) => (segments) => real(segments));

export const identityMutants: Mutants = {
  'a store has a name and is writable where nobody says otherwise': { override: () => ({ name: '' }) },
  'a store presents itself as it was opened': { override: () => ({ name: 'reference' }) },
  'within keeps the identity': instead('within', (_, store, { tree }) => (segments) => {
    return referenceStore(tree, [...store.namespace, ...segments], {});
  }),
  'within changes what it is given of the identity, for what is below alone': keepsIdentity,
  'the number of results that within is given holds for its searches': keepsIdentity,
  'an identity that can not be is refused at once': instead('within', (real) => (segments, identity) => {
    return identity?.name === '' ? real(segments) : real(segments, identity);
  }),
  'a store that is not writable refuses every write, and nothing changes': instead('clear', (_, store, { tree }) => {
    return referenceStore(tree, store.namespace, {}).clear;
  }),
  'a store that is not writable still reads': instead('get', (real, store) => async (id) => {
    if (!store.writable) throw failure('READ_ONLY');
    return real(id);
  }),
  'a store that is not writable gives stores that are not either, whatever is asked for': instead(
    'within',
    (_, store, { tree }) =>
      (segments, identity) =>
        referenceStore(tree, [...store.namespace, ...segments], { writable: store.writable, ...identity }),
  ),
  'within can make what is below read-only, and the store stays writable': keepsIdentity,
};

export const lifecycleMutants: Mutants = {
  'initialize, where there is one, can be called twice and at once, and loses nothing': {
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
  'a store that was never used can be closed, and is closed then': {
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
  'closing twice, or at once, is no error': instead('close', (real) => {
    let closed = false;
    return async () => {
      if (closed) throw failure('CLOSED');
      closed = true;
      await real();
    };
  }),
  'disposing of a store closes it': instead(Symbol.asyncDispose, () => async () => {}),
  'closing one instance leaves the others working': common.forgets,
  'closing a store that within gave leaves the store that gave it working': instead('within', (real, store) => {
    return (segments, identity) => {
      const below = real(segments, identity);
      const { close } = below;
      return Object.assign(below, { close: () => Promise.all([close(), store.close()]).then(() => undefined) });
    };
  }),
  'close waits for writes that have begun': instead('put', (real) => async (input, options) => {
    await wait(20);
    return real(input, options);
  }),
  'close waits for writes of every kind': instead('add', (real) => async (content, metadata) => {
    const added = await real(content, metadata);
    await wait(20);
    return added;
  }),
  'records outlive the instance that wrote them': common.forgets,
};

export const abortingMutants: Mutants = {
  'a put whose signal is aborted writes nothing': forgetsSignal,
  'a put whose signal is aborted replaces nothing': forgetsSignal,
  'a put that is aborted on its way is either done, or aborted and not written': instead('put', (real) => {
    return async (input, options) => {
      const record = await real(input, omit(options, 'signal'));
      throwIfAborted(options?.signal);
      return record;
    };
  }),
  'a search whose signal is aborted gives nothing': instead('search', (real) => (query, options) => {
    return real(query, omit(options, 'signal'));
  }),
  'a list whose signal is aborted gives nothing': instead('list', (real) => (options) => {
    return real(omit(options, 'signal'));
  }),
  'a signal that is not aborted, or only afterwards, changes nothing': instead('put', (real, store) => {
    return async (input, options) => {
      const record = await real(input, options);
      options?.signal?.addEventListener('abort', () => void store.delete(record.id));
      return record;
    };
  }),
};

export const concurrencyMutants: Mutants = {
  'first use by many instances at once is no error': instead('put', (real, _, { tree }) => async (input, options) => {
    if (running.get(tree)) throw failure('BACKEND');
    running.set(tree, 1);
    return real(input, options).finally(() => running.delete(tree));
  }),
  'batches at once all land whole': instead('putMany', (real, store, { tree }) => async (records) => {
    const other = running.get(tree) ?? 0;
    running.set(tree, other + 1);
    // Two who read, change and write the same file: what the other wrote is gone.
    const written = other > 0 ? await referenceStore({ places: new Map(), sequence: 0 }, [], {}).putMany(records) : [];
    return other > 0 ? written : real(records).finally(() => running.delete(tree) && store);
  }),
  'records that come from batches at once are listed in the order of their batch': common.backwards,
  'puts, deletes and searches at once disturb no other record': instead('put', (real, _, { records }) => {
    return async (input, options) => {
      const snapshot = [...records()];
      const record = await real(input, options);
      for (const [id, known] of snapshot) if (!records().has(id)) records().set(id, known);
      return record;
    };
  }),
  'who reads while others replace sees a whole record: never old and new mixed, never none': instead(
    'put',
    (real, store, { records }) =>
      async (input, options) => {
        const { metadata = {}, ...rest } = input;
        const before = (await store.get(input.id ?? ''))?.metadata ?? {};
        const record = await real({ ...rest, metadata: before }, options);
        await tick();
        const known = records().get(record.id);
        if (known !== undefined) known.record = { ...known.record, metadata };
        return { ...record, metadata };
      },
  ),
  'of puts on one id at once one is left, whole': common.mixes,
  '50 puts on one id at once make the versions 1 to 50, each once': common.racy,
  'of 20 creators at once with ifVersion 0 one wins, and the others get a conflict': common.racy,
  'a counter that is raised with ifVersion by many loses nothing': common.racy,
};

export const historyMutants: Mutants = {
  'after any history of calls, a store holds what a map would hold': common.moves,
  'after any history of calls in a tree, each place holds and counts its own': common.joins,
};
