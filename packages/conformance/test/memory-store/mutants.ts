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

/** The mutant of the record store kit with that title. */
function same(title: string): Mutant {
  const parts = broken[title];
  if (parts === undefined) throw new Error(`The record store kit has no such case: ${title}`);
  return { parts };
}

function recordsAt({ places }: Tree): Map<string, Stored> {
  return places.get('[]')?.records ?? new Map();
}

const forgivesOptions = searches((real) => (query, options) => real(query, options).catch(() => real(query)));

/** For each case of the kit, a store that is broken in exactly the way that the case must detect. */
export const mutants: { readonly [title: string]: Mutant } = {
  'a store has a name and a writable flag': { override: () => ({ name: ' ' }) },
  'a store has the identity it was opened with': { override: () => ({ description: '' }) },
  'an invalid identity is refused at once': { unchecked: true },
  'initialize, if present, can be called twice and concurrently, and loses nothing': {
    override: () => {
      let calls = 0;
      return {
        initialize: async () => {
          if (++calls > 1) throw new Error('Already initialized');
        },
      };
    },
  },
  'tools, if any, have unique names, descriptions and object schemas': {
    override: ({ tools }) => ({ tools: () => [...(tools?.() ?? []), ...(tools?.() ?? [])] }),
  },
  'search of an empty store finds nothing': same('search of an empty store finds nothing'),
  'search finds stored entries, best first, in every instance': searches(
    (real) => async (query, options) => (await real(query, options)).toReversed(),
  ),
  'scores, if any, never increase from one entry to the next': searches((real) => async (query, options) => {
    return (await real(query, options)).map((entry, index) => ({ ...entry, score: index }));
  }),
  'a blank query finds nothing': same('a blank query finds nothing'),
  "search returns as many entries as the call asks for, else the store's limit, else 10": searches(
    (real) => (query, options) => {
      return real(query, { maxSearchResults: 10, ...options });
    },
  ),
  'a limit that is not a whole number ≥ 1 is refused': forgivesOptions,
  'no search text causes an error or changes stored data': same(
    'no search text causes an error or changes stored data',
  ),
  'special characters and operators around a word are not commands: the word is still found': same(
    'special characters and operators around a word are not commands: the word is still found',
  ),
  'a pattern or a condition that would match everything finds nothing': same(
    'a pattern or a condition that would match everything finds nothing',
  ),
  'a search with an aborted signal rejects': same('a search with an aborted signal rejects'),
  'changing a search result changes nothing stored': { parts: { copy: (value) => value } },
  'a store without filters refuses a filter instead of ignoring it': searches((real) => (query, options) => {
    return real(query, omit(options, 'filter'));
  }),
  'a store without add has no such method': { hasAll: true },
  'an added text is found unchanged, to the last character': {
    override: ({ add }) => ({ add: (content, metadata) => add(content.trim(), metadata) }),
  },
  'adding a text again leaves one entry, so that a write can be retried': {
    parts: { override: (store) => ({ add: (content) => store.put({ content }) }) },
  },
  'texts added concurrently are all stored': {
    parts: {
      override: (store, { tree }) => ({
        add: async (content, metadata) => {
          // Reads everything, waits, and writes everything back, so concurrent writes are lost.
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
  'changing the metadata passed to add, before or after it is done, changes nothing stored': {
    parts: late('add'),
  },
  'a filter is applied before ranking, so that the limit is filled with entries that pass': {
    parts: { filterFirst: false },
  },
  'a filter with ne returns records that its value does not match, including those without the field, or is refused':
    same('ne matches every record that the value does not match, including records without the field'),
  'an invalid filter is refused': forgivesOptions,
  'a read-only store refuses every write, and nothing changes': {
    override: ({ addMessages }) => ({ addMessages: (...args) => addMessages(...args).catch(() => undefined) }),
  },
  'a store without addMessages has no such method': { hasAll: true },
  'addMessages takes messages of text and of blocks, with and without a context': addsMessages((real) => {
    return async (messages, context) => {
      if (context !== undefined) throw new Error('A context is not supported');
      return real(messages);
    };
  }),
  'each message with text is found verbatim': addsMessages((real) => (messages, context) => {
    return real(
      messages.map(({ role, content }) => ({ role, content: JSON.stringify(content) })),
      context,
    );
  }),
  'a retry with the same run and sequence numbers leaves one entry each': addsMessages(
    (real) => (messages) => real(messages),
  ),
  'the same messages of another run are stored again': addsMessages((real) => (messages, context) => {
    return real(messages, { ...context, runId: 'run' });
  }),
  'missing, too few or non-increasing sequence numbers are refused, and nothing is written': addsMessages(
    (real) => (messages, context) => real(messages, context).catch(() => real(messages)),
  ),
};
