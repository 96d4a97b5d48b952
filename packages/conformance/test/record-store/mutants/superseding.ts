import type { ListOptions, MemoryRecord, RecordInput } from '@keepsake/core';
import { NONE } from '../reference.ts';
import { common, failure, instead, type Mutant, type Mutants, omit, tick } from './mutant.ts';

/** Puts a record again without the fields that were refused. */
function putsWithout(...names: (keyof RecordInput)[]): Mutant {
  return instead('put', (real) => (input, options) => real(input, options).catch(() => real(omit(input, ...names))));
}

/** Reads all records, and shows some of each page. */
function showsOfAll(isShown: (record: MemoryRecord, options: ListOptions) => boolean): Mutant {
  return instead('list', (real) => async (options = {}) => {
    const page = await real({ ...omit(options, 'asOf'), history: true });
    return options.history ? page : { ...page, items: page.items.filter((record) => isShown(record, options)) };
  });
}

const readingMutants: Mutants = {
  'a record that supersedes another closes it, and search and list show only the new one': instead(
    'list',
    (real) => (options) => real({ ...options, history: options?.asOf === undefined }),
  ),
  'get returns every version by its id, with its place in the history': instead(
    'get',
    (real) => async (id, options) => {
      const record = await real(id, options);
      return record && omit(record, 'supersededBy');
    },
  ),
  'a record without a history has no fields of one, and no source because of one': {
    replace: (next) => ({ validFrom: next.createdAt, ...next }),
  },
  'a successor holds from now on by default, and its predecessor until then': {
    prepare: ({ validFrom = new Date(0).toISOString(), ...input }) => ({ ...input, validFrom }),
  },
  'history returns all versions, oldest first, from the id of any of them': instead(
    'history',
    (real) => async (id) => (await real(id)).toReversed(),
  ),
  'get with asOf returns the version that held at that time, from the id of any of them': instead(
    'get',
    (real) => (id) => real(id),
  ),
  'list with asOf lists what held at that time, on pages that are full': showsOfAll(
    ({ createdAt, validFrom = createdAt, validUntil }, { asOf }) =>
      asOf === undefined ? validUntil === undefined : validFrom <= asOf && (validUntil ?? '9999') > asOf,
  ),
  'list with history also lists closed records, and pages of either list end where the records end': showsOfAll(
    ({ validUntil }) => validUntil === undefined,
  ),
  'lists with descendants take asOf and history, too': instead('list', (real) => (options) => {
    return real(options?.descendants ? omit(options, 'asOf', 'history') : options);
  }),
};

const closingMutants: Mutants = {
  'validUntil closes a record without a successor': { prepare: ({ validUntil, ...input }) => input },
  'a closed record is not put again, alone or in a batch, and nothing is written': putsWithout('id'),
  'a record that is missing, closed or of another namespace can not be superseded': putsWithout('supersedes'),
  'the id of a successor must be free': putsWithout('id'),
  'putting a successor again replaces it, and makes no second one': instead(
    'put',
    (real, store) => async (input, options) => {
      if (input.supersedes !== undefined && (await store.get(input.id as string))) throw failure('CONFLICT');
      return real(input, options);
    },
  ),
  'a replacement keeps what its record supersedes, and since when it holds': {
    replace: (next, before) => {
      const isPlain = before === undefined || next.validUntil !== undefined;
      return isPlain ? next : omit(next, 'supersedes', 'validFrom');
    },
  },
  'ifVersion of a put with supersedes is the version of the record that it supersedes': instead(
    'put',
    (real) => (input, options) => real(input, input.supersedes === undefined ? options : omit(options, 'ifVersion')),
  ),
  'a batch can hold a whole history': common.oneByOne,
  'the records of a list with history make the same histories in another store': {
    prepare: ({ supersededBy, ...input }) => input,
  },
  'of many concurrent successors of one record exactly one wins, and the others change nothing': instead(
    'put',
    (real, store) => async (input, options) => {
      if (input.supersedes === undefined) return real(input, options);
      const known = await store.get(input.supersedes);
      await tick();
      if (known?.validUntil !== undefined) throw failure('CONFLICT');
      return real(omit(input, 'supersedes'), options);
    },
  ),
  'a record can be superseded while others replace it, and none of their words is lost without a conflict': instead(
    'put',
    (real, store) => async (input, options) => {
      const known = input.supersedes === undefined ? undefined : await store.get(input.supersedes);
      return real(input, known === undefined ? options : { ...options, ifVersion: known.version });
    },
  ),
  'a record that is deleted and put again while another supersedes it never has its old content again': instead(
    'put',
    (real, store, { records }) =>
      async (input, options) => {
        const read = input.supersedes === undefined ? undefined : await store.get(input.supersedes);
        if (read === undefined) return real(input, options);
        await tick();
        const put = await real(input, options);
        // Closes what it read by writing it again, whole.
        const stored = records().get(read.id);
        if (stored !== undefined)
          records().set(read.id, { ...stored, record: { ...stored.record, content: read.content } });
        return put;
      },
  ),
  'invalid times and ids of a history are refused': putsWithout(
    ...(['id', 'supersedes', 'supersededBy', 'validFrom', 'validUntil'] as const),
  ),
};

const addingMutants: Mutants = {
  'a text whose record was closed can be added again, once': instead(
    'add',
    (_, store) => (content, metadata) => store.put({ content, metadata }),
  ),
  'messages that were superseded stay so when they are added again': instead(
    'addMessages',
    (real) => async (messages, context) => {
      return (await real(messages, context)).map((record) => omit(record, 'supersededBy'));
    },
  ),
};

const removingMutants: Mutants = {
  'delete removes all versions, whichever id is given': instead('delete', (real) => (id, options) => {
    return real(id, { ...options, alone: true });
  }),
  'delete with alone removes one version, and the others stay': instead('delete', (real) => (id, options) => {
    return real(id, omit(options, 'alone'));
  }),
  'delete with ifVersion of another version leaves the whole history': instead(
    'delete',
    (real, store) => async (id, options) => {
      for (const version of await store.history(id)) if (version.id !== id) await real(version.id, { alone: true });
      return real(id, options);
    },
  ),
  'of many concurrent deletes of a history, one removes it': instead('delete', (real) => async (id, options) => {
    await real(id, options);
    return true;
  }),
  'clear removes closed records, too, and counts them': instead('clear', (real, store) => async (options) => {
    const { items } = await store.list();
    await real(options);
    return items.length;
  }),
  'an expired successor does not revive what it superseded': instead('list', (real, store) => async (options) => {
    const page = await real({ ...options, history: true });
    const items: MemoryRecord[] = [];
    for (const record of page.items) {
      if ((await store.get(record.supersededBy ?? '')) === undefined) items.push(record);
    }
    return { ...page, items };
  }),
  'the time to live of a record goes on when it is superseded': {
    replace: (next) => (next.validUntil === undefined ? next : omit(next, 'expiresAt')),
  },
};

export const supersedingMutants: Mutants = {
  ...readingMutants,
  ...closingMutants,
  ...addingMutants,
  ...removingMutants,
  'a store without histories refuses supersedes, validFrom, validUntil, asOf and history': {
    capabilities: { ...NONE, history: true },
  },
};
