import { MemoryError, type MemoryRecord } from '@keepsake/core';
import { matchesFilter, parseFilter, putCount } from '@keepsake/core/adapter';
import { ALL, expectVersion, NONE } from '../reference.ts';
import { common, failure, forgives, instead, type Mutants, omit, softDeletes } from './mutant.ts';

export const capabilityMutants: Mutants = {
  'a store declares its capabilities, at every place and for every instance': {
    capabilities: { ...ALL, durable: true },
  },
  'permanent refusals are not retryable': instead('put', (real) => (input, options) => {
    return real(input, options).catch(({ code, message }: MemoryError) => {
      throw new MemoryError(code, message, { retryable: true });
    });
  }),
  'a store without time to live refuses it, and writes nothing': { capabilities: { ...NONE, ttl: true } },
  'a store without enumeration refuses to list records and namespaces, and to search below': {
    capabilities: { ...NONE, enumerate: true },
  },
  'a store without filters refuses a filter in search instead of ignoring it': instead(
    'search',
    (real) => (query, options) => real(query, omit(options, 'filter')),
  ),
  'a store that can list but not filter refuses a filter in list': instead(
    'list',
    (real) => (options) => real(omit(options, 'filter')),
  ),
};

export const puttingMutants: Mutants = {
  'put returns the stored record, with a version of one put': {
    replace: (next) => ({ ...next, version: next.version - 1 }),
  },
  'get returns a record exactly as put did': instead('get', (real) => async (id) => {
    const record = await real(id);
    return record && omit(record, 'turn');
  }),
  'one instance can get what another put': common.alone,
  'a put without an id creates a new UUID version 7 each time': instead(
    'put',
    (real) => (input, options) => real({ id: crypto.randomUUID(), ...input }, options),
  ),
  'a put without metadata stores an empty object': {
    replace: (next) => (Object.keys(next.metadata).length > 0 ? next : { ...next, metadata: null as never }),
  },
  'a record without turn, source and time to live has no such fields': {
    replace: (next) => ({ turn: undefined, ...next }) as MemoryRecord,
  },
  'a new record was created now': { replace: (next) => ({ ...next, createdAt: new Date(0).toISOString() }) },
  'a given createdAt is kept as the same moment in UTC with milliseconds': {
    prepare: (input) => ({ ...input, createdAt: undefined }),
  },
  'no record was updated before it was created, whatever the clock says': {
    replace: (next) => ({ ...next, updatedAt: new Date().toISOString() }),
  },
  'an invalid createdAt is refused': forgives('createdAt'),
  'a turn comes back as it was put, with and without a speaker': {
    replace: (next) => (next.turn === undefined ? next : { ...next, turn: omit(next.turn, 'speaker') }),
  },
  'an invalid turn is refused': forgives('turn'),
  'every returned record says whether search finds it': {
    replace: (next) => ({ ...next, index: true }),
  },
  'invalid input is refused': forgives('index'),
};

export const provenanceMutants: Mutants = {
  'a source comes back unchanged, complete or partial': {
    replace: (next) => (next.source === undefined ? next : { ...next, source: omit(next.source, 'speaker') }),
  },
  'a source without fields counts as missing': instead('put', (real) => async (input, options) => {
    const record = await real(input, options);
    return input.source === undefined ? record : { ...record, source: { ...record.source } };
  }),
  'a replacement replaces the source, or leaves none': {
    replace: (next, before) => (before?.source === undefined ? next : { ...next, source: before.source }),
  },
  'an invalid source is refused': forgives('source'),
  'addMessages sets the source of each message from its context': {
    prepare: (input) => ({ ...input, source: input.source && { ...input.source, run: 'unknown' } }),
  },
  'a filter names the fields of a source: source.conversation, source.run, source.speaker, source.kind': {
    rules: (filter) => parseFilter(filter).filter(({ part }) => part !== 'source'),
  },
  'a metadata field that is named like a field of the source is not that field': {
    passes: (rules, { metadata, ...record }) =>
      matchesFilter(rules, {
        ...record,
        metadata,
        source: { kind: metadata['source.kind'] as 'fact', ...record.source },
      }),
  },
  'a filter that compares a source field with anything but a string is refused': {
    rules: (filter) => {
      try {
        return parseFilter(filter);
      } catch {
        return [];
      }
    },
  },
};

export const idMutants: Mutants = {
  'get returns undefined for a missing id': instead('get', (real) => async (id) => (await real(id)) ?? (null as never)),
  'an id is literal, never a pattern, path, query or encoding': { key: (id) => id.replaceAll(/[:/\\]/g, '_') },
  'deleting an id that looks like a pattern removes only that record': instead(
    'delete',
    (real, _, { records }) =>
      async (id) => {
        const pattern = new RegExp(`^${id.replaceAll(/[*%]/g, '.*').replaceAll('_', '.')}$`);
        const there = await real(id);
        for (const key of [...records().keys()]) if (pattern.test(key)) await real(key);
        return there;
      },
  ),
  'ids that differ in case, Unicode form or a character are different records': {
    key: (id) => id.normalize('NFC').toLowerCase(),
  },
  'the names of object fields are ordinary ids': instead(
    'get',
    (real) => async (id) => (await real(id)) ?? ({} as Record<string, MemoryRecord>)[id],
  ),
  'an id can have 512 characters': { key: (id) => id.slice(0, 255) },
  'an id that is empty, too long, invalid Unicode or not a string is refused': forgives('id'),
  'get returns nothing for an invalid id': instead('get', (real) => (id) => real(String(id))),
};

export const replacingMutants: Mutants = {
  'each replacement raises the version by one': { replace: (next) => ({ ...next, version: 1 }) },
  'a replacement without a change counts, too': {
    replace: (next, before) => (before?.content === next.content ? before : next),
  },
  'a replacement keeps createdAt and advances updatedAt': {
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
  'a replacement replaces the whole record: no old metadata or turn is left': {
    replace: (next, before) => ({ ...next, metadata: { ...before?.metadata, ...next.metadata } }),
  },
  'a replacement does not affect other records': instead('put', (real, _, { records }) => async (input, options) => {
    const record = await real(input, options);
    for (const known of records().values()) known.record = { ...known.record, metadata: record.metadata };
    return record;
  }),
  'ifVersion 0 creates a record, and is a conflict if it exists': {
    expect: (ifVersion, version) => expectVersion(ifVersion === 0 ? undefined : ifVersion, version),
  },
  'ifVersion replaces only that version': {
    expect: (ifVersion, version) => expectVersion(Math.max(ifVersion ?? version, version), version),
  },
  'ifVersion of 1 or more is a conflict if the record does not exist': {
    expect: (ifVersion, version) => expectVersion(version === 0 ? undefined : ifVersion, version),
  },
  'an invalid ifVersion is refused': instead(
    'put',
    (real) => (input, options) => real(input, options).catch(() => real(input)),
  ),
  'a record that is created again after its deletion is new, with a new createdAt': softDeletes('put'),
  'no version comes again for an id: an ifVersion from before its deletion is a conflict, whatever came between': {
    replace: (next, before) => (before === undefined ? { ...next, version: 1 } : next),
  },
  'a refused put leaves the record as it was': instead('put', (real, store) => (input, options) => {
    return real(input, options).catch(async (error: unknown) => {
      await store.delete(input.id ?? '');
      throw error;
    });
  }),
};

export const batchMutants: Mutants = {
  'putMany returns the stored records in the order of the batch': instead(
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
  'an id that appears twice in a batch is put twice': instead('putMany', (real) => (records) => {
    return real([...new Map(records.map((record) => [record.id, record])).values()]);
  }),
  'records of a batch without an id get one each': instead('putMany', (real) => (records) => {
    const id = crypto.randomUUID();
    return real(records.map((record) => ({ id, ...record })));
  }),
  'a batch with a record that is refused writes nothing at all': common.oneByOne,
  'a batch with a record that is too large writes nothing at all': common.oneByOne,
  'a batch of more than 10,000 records is refused and writes nothing at all': instead(
    'putMany',
    (real) => (records) => {
      return real(records).catch(() => real(records.slice(0, 1)));
    },
  ),
  'the records of a batch must be an array': instead('putMany', (real) => (records) => real(Array.from(records ?? []))),
  'a batch with ifVersions is put if its records have these versions; 0 = it must not exist': instead(
    'putMany',
    (real) => async (records, options) => {
      if (options?.ifVersions !== undefined) throw new MemoryError('CONFLICT', 'Changed.');
      return real(records);
    },
  ),
  'a batch with a record of another version than in ifVersions is a conflict and writes nothing at all': instead(
    'putMany',
    (real) => (records, options) => {
      return real(records, options).catch(async (error: unknown) => {
        await real(records.slice(0, 1));
        throw error;
      });
    },
  ),
  'invalid ifVersions are refused, and so is one of an id that the batch has not': common.forgetsVersions,
  'of concurrent batches with the same ifVersions, one wins as a whole, and the others get a conflict':
    common.forgetsVersions,
  'ifVersions are refused where a batch is not atomic': common.forgetsVersions,
  'a batch of 300 records is stored completely': instead('putMany', (real) => async (records) => {
    const written = await real(records.slice(0, 256));
    return records.map((record, index) => written[index] ?? { ...(written[0] as MemoryRecord), id: record.id ?? '' });
  }),
  'a large batch appears at once: whoever sees a record of it sees all of them': common.oneByOne,
  'of two concurrent batches on the same ids, one wins as a whole': instead('putMany', (real) => async (records) => {
    const half = records.length / 2;
    const slow = records[0]?.content.endsWith('0') ?? false;
    const first = await real(records.slice(0, half));
    if (slow) await new Promise((resolve) => setTimeout(resolve, 20));
    return [...first, ...(await real(records.slice(half)))];
  }),
  'of two concurrent non-atomic batches on the same ids, each record is whole': common.mixes,
};

export const deletingMutants: Mutants = {
  'compact, if present, discards no record that can be read': {
    override: (store) => ({
      async compact(options) {
        for (const record of (await store.list()).items) {
          if (options?.discard?.(JSON.stringify(record))) await store.delete(record.id);
        }
      },
    }),
  },
  'compact, if present, changes no current record': {
    // It keeps only records that were never replaced.
    override: (store) => ({
      async compact() {
        for (const { id, version } of (await store.list()).items) if (putCount(version) > 1) await store.delete(id);
      },
    }),
  },
  'delete returns whether the record existed': instead('delete', (real) => async (id) => (await real(id)) || true),
  'get does not return a deleted record, in any instance': instead(
    'delete',
    (_, store) => async (id) => (await store.get(id)) !== undefined,
  ),
  'a deleted record is gone from the list': softDeletes('list'),
  'a deleted record is never found again': softDeletes('search'),
  'delete removes only that record': instead('delete', (real, _, { records }) => async (id) => {
    for (const key of [...records().keys()]) if (key.startsWith(id)) await real(key);
    return true;
  }),
  'delete with ifVersion removes just that version': instead('delete', (real) => (id) => real(id)),
  'delete with ifVersion of a missing record returns false, not a conflict': instead(
    'delete',
    (real) => async (id, o) => {
      const there = await real(id, o);
      if (!there && o?.ifVersion !== undefined) throw failure('CONFLICT');
      return there;
    },
  ),
  'of many concurrent deletes, one removes the record': common.racy,
};

export const clearingMutants: Mutants = {
  'clear removes all records and returns their number': instead(
    'clear',
    (real) => async (options) => (await real(options)) + 1,
  ),
  'a cleared store lists nothing': softDeletes('list'),
  'a cleared store finds nothing': softDeletes('search'),
  'clear of an empty store removes 0 records': instead(
    'clear',
    (real) => async (options) => Math.max(1, await real(options)),
  ),
  'a cleared store accepts records again, as new ones': softDeletes('put'),
  'clear does not touch namespaces above, below and beside': instead(
    'clear',
    (real) => () => real({ descendants: true }),
  ),
  'clear with descendants removes records here and below, and nothing else': common.prefixes,
  'clear with descendants works from an empty namespace, even one that looks like a pattern': {
    isBelow: (inner, outer) =>
      inner.length > outer.length && outer.every((one, index) => one === '*' || one === inner[index]),
  },
  'a cleared tree lists no namespaces': softDeletes('count'),
};
