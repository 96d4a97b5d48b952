import { late, omit } from '../record-store/mutants/mutant.ts';
import { mutants as broken } from '../record-store/mutants/mutants.ts';
import type { Stored, Tree } from '../record-store/reference.ts';
import type { Mutant, Whole } from './reference.ts';

type Search = Whole['search'];

function searches(make: (real: Search) => Search): Mutant {
  return { override: ({ search }) => ({ search: make(search) }) };
}

function addsMessages(make: (real: Whole['addMessages'], store: Whole) => Whole['addMessages']): Mutant {
  return { override: (store) => ({ addMessages: make(store.addMessages, store) }) };
}

/** The mutant of the record store kit under that title. */
function same(title: string): Mutant {
  const parts = broken[title];
  if (parts === undefined) throw new Error(`The record store kit has no such case: ${title}`);
  return { parts };
}

function recordsAt({ places }: Tree): Map<string, Stored> {
  return places.get('[]')?.records ?? new Map();
}

const forgivesOptions = searches((real) => (query, options) => real(query, options).catch(() => real(query)));

/** For each case of the kit a store that is broken in just the way that the case is there to find. */
export const mutants: { readonly [title: string]: Mutant } = {
  'a store has a name, and says whether it is writable': { override: () => ({ name: ' ' }) },
  'a store presents itself as it was opened': { override: () => ({ description: '' }) },
  'an identity that can not be is refused at once': { unchecked: true },
  'initialize, where there is one, can be called twice and at once, and loses nothing': {
    override: () => {
      let calls = 0;
      return {
        initialize: async () => {
          if (++calls > 1) throw new Error('It is there already');
        },
      };
    },
  },
  'tools, where there are any, have names of their own, descriptions and schemas of an object': {
    override: ({ tools }) => ({ tools: () => [...(tools?.() ?? []), ...(tools?.() ?? [])] }),
  },
  'search of an empty store finds nothing': same('search of an empty store finds nothing'),
  'search finds what is remembered, best first, for every instance': searches(
    (real) => async (query, options) => (await real(query, options)).toReversed(),
  ),
  'scores, where there are any, never rise from one entry to the next': searches((real) => async (query, options) => {
    return (await real(query, options)).map((entry, index) => ({ ...entry, score: index }));
  }),
  'a blank query finds nothing': same('a blank query finds nothing'),
  'search gives as many entries as the call says, else the store, else 10': searches((real) => (query, options) => {
    return real(query, { maxSearchResults: 10, ...options });
  }),
  'a number of results that is no whole number of 1 or more is refused': forgivesOptions,
  'no search text is an error, or changes what is remembered': same(
    'no search text is an error, or changes what is stored',
  ),
  'a sign or an operator around a word is no command: the word is still found': same(
    'a sign or an operator around a word is no command: the word is still found',
  ),
  'a pattern or a condition that would match everything finds nothing': same(
    'a pattern or a condition that would match everything finds nothing',
  ),
  'a search whose signal is aborted gives nothing': same('a search whose signal is aborted gives nothing'),
  'changing what search gave changes nothing that is remembered': { parts: { copy: (value) => value } },
  'a store that can not filter refuses a filter, rather than ignore it': searches((real) => (query, options) => {
    return real(query, omit(options, 'filter'));
  }),
  'a store without add has no such method': { hasAll: true },
  'a text that was added is found as it was, to the last sign': {
    override: ({ add }) => ({ add: (content, metadata) => add(content.trim(), metadata) }),
  },
  'a text that is added again is one entry, so that a write can be retried': {
    parts: { override: (store) => ({ add: (content) => store.put({ content }) }) },
  },
  'texts that are added at once are all remembered': {
    parts: {
      override: (store, { tree }) => ({
        add: async (content, metadata) => {
          // Reads all, waits, and writes all: what others wrote between is gone.
          const before = [...recordsAt(tree)];
          const record = await store.add(content, metadata);
          const known = recordsAt(tree).get(record.id) as Stored;
          recordsAt(tree).clear();
          for (const [id, one] of before) recordsAt(tree).set(id, one);
          recordsAt(tree).set(record.id, known);
          return record;
        },
      }),
    },
  },
  'blank texts are refused, and texts over 1 MiB are too large': {
    override: ({ add }) => ({ add: (content, metadata) => add(content, metadata).catch(() => undefined) }),
  },
  'changing the metadata of an add, before or after it is done, changes nothing that is remembered': {
    parts: late('add'),
  },
  'a filter is applied before ranking, so that the limit is filled with entries that pass': {
    parts: { filterFirst: false },
  },
  'a filter that can not be understood is refused': forgivesOptions,
  'a store that is not writable refuses every write, and nothing changes': {
    override: ({ addMessages }) => ({ addMessages: (...args) => addMessages(...args).catch(() => undefined) }),
  },
  'a store without addMessages has no such method': { hasAll: true },
  'addMessages takes messages of text and of blocks, with and without a context': addsMessages((real) => {
    return async (messages, context) => {
      if (context !== undefined) throw new Error('A context is too much');
      return real(messages);
    };
  }),
  'each message that says something is found word for word': addsMessages((real) => (messages, context) => {
    return real(
      messages.map(({ role, content }) => ({ role, content: JSON.stringify(content) })),
      context,
    );
  }),
  'a retry with the same run and sequence numbers leaves one entry each': addsMessages(
    (real) => (messages) => real(messages),
  ),
  'the same words of another run are remembered anew': addsMessages((real) => (messages, context) => {
    return real(messages, { ...context, runId: 'run' });
  }),
  'sequence numbers that are missing, too few or not rising are refused, and nothing is written': addsMessages(
    (real) => (messages, context) => real(messages, context).catch(() => real(messages)),
  ),
};
