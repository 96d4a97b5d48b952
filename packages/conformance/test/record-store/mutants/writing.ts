import { expectVersion, type MemoryRecord } from '@keepsake/core';
import { ALL, NONE } from '../reference.ts';
import { buriesAlive, common, failure, forgives, instead, type Mutants, omit } from './mutant.ts';

export const capabilityMutants: Mutants = {
  'a store declares its capabilities, at every place and for every instance': {
    capabilities: { ...ALL, durable: true },
  },
  'a store without time to live refuses it, and writes nothing': { capabilities: { ...NONE, ttl: true } },
  'a store that can not enumerate refuses to list records and namespaces': {
    capabilities: { ...NONE, enumerate: true },
  },
  'a store that can not filter refuses a filter in search, rather than ignore it': instead(
    'search',
    (real) => (query, options) => real(query, omit(options, 'filter')),
  ),
  'a store that can list but not filter refuses a filter in list': instead(
    'list',
    (real) => (options) => real(omit(options, 'filter')),
  ),
};

export const puttingMutants: Mutants = {
  'put gives the record as it is stored, in version 1': {
    replace: (next) => ({ ...next, version: next.version - 1 }),
  },
  'get gives a record just as put gave it': instead('get', (real) => async (id) => {
    const record = await real(id);
    return record && omit(record, 'turn');
  }),
  'what one instance puts, another one gets': common.alone,
  'a put without an id makes a UUID of version 7, another one each time': instead(
    'put',
    (real) => (input, options) => real({ id: crypto.randomUUID(), ...input }, options),
  ),
  'a put without metadata stores an empty object': {
    replace: (next) => (Object.keys(next.metadata).length > 0 ? next : { ...next, metadata: null as never }),
  },
  'a record without turn and time to live has no such fields': {
    replace: (next) => ({ turn: undefined, ...next }) as MemoryRecord,
  },
  'a new record was created now': { replace: (next) => ({ ...next, createdAt: new Date(0).toISOString() }) },
  'a given createdAt is kept as the same moment in UTC with milliseconds': {
    prepare: (input) => ({ ...input, createdAt: undefined }),
  },
  'a createdAt that is no moment in time is refused': forgives('createdAt'),
  'a turn comes back as it was put, with and without a speaker': {
    replace: (next) => (next.turn === undefined ? next : { ...next, turn: omit(next.turn, 'speaker') }),
  },
  'a turn that places nothing is refused': forgives('turn'),
  'input that is no record is refused': forgives('index'),
};

export const idMutants: Mutants = {
  'get gives undefined for an id that is not there': instead(
    'get',
    (real) => async (id) => (await real(id)) ?? (null as never),
  ),
  'an id is literal: no pattern, path, query or encoding': { key: (id) => id.replaceAll(/[:/\\]/g, '_') },
  'deleting an id that looks like a pattern removes that record alone': instead(
    'delete',
    (real, _, { records }) =>
      async (id) => {
        const pattern = new RegExp(`^${id.replaceAll(/[*%]/g, '.*').replaceAll('_', '.')}$`);
        const there = await real(id);
        for (const key of [...records().keys()]) if (pattern.test(key)) await real(key);
        return there;
      },
  ),
  'ids that differ in case, in Unicode form or in a sign are different records': {
    key: (id) => id.normalize('NFC').toLowerCase(),
  },
  'the names of object fields are ordinary ids': instead(
    'get',
    (real) => async (id) => (await real(id)) ?? ({} as Record<string, MemoryRecord>)[id],
  ),
  'an id of 512 characters is kept whole': { key: (id) => id.slice(0, 255) },
  'an id that is empty, too long, not valid Unicode or no text is refused': forgives('id'),
  'get gives nothing for what can be no id': instead('get', (real) => (id) => real(String(id))),
};

export const replacingMutants: Mutants = {
  'each replacement raises the version by one': { replace: (next) => ({ ...next, version: 1 }) },
  'a replacement also counts where it changes nothing': {
    replace: (next, before) => (before?.content === next.content ? before : next),
  },
  'a replacement keeps createdAt and moves updatedAt on': {
    replace: (next) => ({ ...next, createdAt: next.updatedAt }),
  },
  'a createdAt given with a replacement is ignored': instead('put', (real, store, { records }) => async (input, o) => {
    const { id } = await real(input, o);
    const known = records().get(id);
    if (known !== undefined && input.createdAt !== undefined) {
      known.record = { ...known.record, createdAt: input.createdAt };
    }
    return (await store.get(id)) as MemoryRecord;
  }),
  'a replacement replaces the record whole: no old metadata and no old turn is left': {
    replace: (next, before) => ({ ...next, metadata: { ...before?.metadata, ...next.metadata } }),
  },
  'a replacement leaves other records alone': instead('put', (real, _, { records }) => async (input, options) => {
    const record = await real(input, options);
    for (const known of records().values()) known.record = { ...known.record, metadata: record.metadata };
    return record;
  }),
  'ifVersion 0 creates, and is a conflict where the record is there': {
    expect: (ifVersion, version) => expectVersion(ifVersion === 0 ? undefined : ifVersion, version),
  },
  'ifVersion replaces just the version that it names': {
    expect: (ifVersion, version) => expectVersion(Math.max(ifVersion ?? version, version), version),
  },
  'ifVersion of 1 or more is a conflict where the record is not there': {
    expect: (ifVersion, version) => expectVersion(version === 0 ? undefined : ifVersion, version),
  },
  'an ifVersion that can be no version is refused': instead(
    'put',
    (real) => (input, options) => real(input, options).catch(() => real(input)),
  ),
  'a record that is made again after its deletion is new: version 1, created then': buriesAlive('put'),
  'a refused put leaves the record as it was': instead('put', (real, store) => (input, options) => {
    return real(input, options).catch(async (error: unknown) => {
      await store.delete(input.id ?? '');
      throw error;
    });
  }),
};

export const batchMutants: Mutants = {
  'putMany gives the records in the order of the batch, as they are stored': instead(
    'putMany',
    (real) => async (records) => (await real(records)).toReversed(),
  ),
  'putMany creates its records in the order of the batch': common.backwards,
  'putMany of no records writes nothing': instead('putMany', (real, store) => async (records) => {
    if (records.length === 0) await store.put({ content: 'heron' });
    return real(records);
  }),
  'putMany creates and replaces in one batch': instead('putMany', (real, store) => async (records) => {
    for (const { id } of records) if (id !== undefined) await store.delete(id);
    return real(records);
  }),
  'an id that comes twice in a batch is put twice': instead('putMany', (real) => (records) => {
    return real([...new Map(records.map((record) => [record.id, record])).values()]);
  }),
  'records of a batch without an id get one each': instead('putMany', (real) => (records) => {
    const id = crypto.randomUUID();
    return real(records.map((record) => ({ id, ...record })));
  }),
  'a batch with a record that is refused writes nothing at all': common.oneByOne,
  'a batch with a record that is too large writes nothing at all': common.oneByOne,
  'the records of a batch are to be an array': instead(
    'putMany',
    (real) => (records) => real(Array.from(records ?? [])),
  ),
  'a batch of 300 records lands whole': instead('putMany', (real) => async (records) => {
    const written = await real(records.slice(0, 256));
    return records.map((record, index) => written[index] ?? { ...(written[0] as MemoryRecord), id: record.id ?? '' });
  }),
  'of two batches on the same ids at once, one wins as a whole': instead('putMany', (real) => async (records) => {
    const half = records.length / 2;
    const slow = records[0]?.content.endsWith('0') ?? false;
    const first = await real(records.slice(0, half));
    if (slow) await new Promise((resolve) => setTimeout(resolve, 20));
    return [...first, ...(await real(records.slice(half)))];
  }),
  'of two batches on the same ids at once, each record is whole where batches are not atomic': common.mixes,
};

export const deletingMutants: Mutants = {
  'compacting what was deleted and replaced away, where a store can, changes nothing that is there': {
    // It keeps what was never replaced alone.
    override: (store) => ({
      async compact() {
        for (const { id, version } of (await store.list()).items) if (version > 1) await store.delete(id);
      },
    }),
  },
  'delete says whether the record was there': instead('delete', (real) => async (id) => (await real(id)) || true),
  'a deleted record is gone from get, for all instances': instead(
    'delete',
    (_, store) => async (id) => (await store.get(id)) !== undefined,
  ),
  'a deleted record is gone from the list': buriesAlive('list'),
  'a deleted record is never found again': buriesAlive('search'),
  'delete removes that record alone': instead('delete', (real, _, { records }) => async (id) => {
    for (const key of [...records().keys()]) if (key.startsWith(id)) await real(key);
    return true;
  }),
  'delete with ifVersion removes just that version': instead('delete', (real) => (id) => real(id)),
  'delete with ifVersion of what is not there is false, no conflict': instead('delete', (real) => async (id, o) => {
    const there = await real(id, o);
    if (!there && o?.ifVersion !== undefined) throw failure('CONFLICT');
    return there;
  }),
  'of many deletes at once, one removes the record': common.racy,
};

export const clearingMutants: Mutants = {
  'clear removes all records and says how many there were': instead(
    'clear',
    (real) => async (options) => (await real(options)) + 1,
  ),
  'a cleared store lists nothing': buriesAlive('list'),
  'a cleared store finds nothing': buriesAlive('search'),
  'clear of an empty store removes 0 records': instead(
    'clear',
    (real) => async (options) => Math.max(1, await real(options)),
  ),
  'a cleared store takes records again, as new ones': buriesAlive('put'),
  'clear leaves the places above, below and beside': instead('clear', (real) => () => real({ descendants: true })),
  'clear with descendants removes what is here and below, and nothing else': common.prefixes,
  'clear with descendants works from a place that itself holds nothing, even a pattern': {
    isBelow: (inner, outer) =>
      inner.length > outer.length && outer.every((one, index) => one === '*' || one === inner[index]),
  },
  'a cleared tree holds no namespaces': buriesAlive('count'),
};
