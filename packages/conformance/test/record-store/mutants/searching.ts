import {
  type FilterRule,
  formatNamespace,
  isWithin,
  type MemoryEntry,
  matchesFilter,
  parseFilter,
} from '@keepsake/core';
import { type Inside, referenceStore, toEntry } from '../reference.ts';
import { common, failure, forgives, immortalIn, instead, judges, type Mutant, type Mutants, omit } from './mutant.ts';

const forgivesOptions = instead('search', (real) => (query, options) => real(query, options).catch(() => real(query)));

/** The entries of all places, whoever asks. */
function everything({ tree, parts }: Inside): MemoryEntry[] {
  return [...tree.places.values()].flatMap(({ records }) =>
    [...records.values()].map(({ record }) => toEntry(record, 1, parts)),
  );
}

function explain(entries: readonly MemoryEntry[], sumOf: (score: number) => Record<string, number>): MemoryEntry[] {
  return entries.map((entry) => ({ ...entry, explanation: { sum: sumOf(entry.score ?? 0), factors: {} } }));
}

export const excerptMutants: Mutants = {
  'an entry of a long record has its whole content, and the passage that fits the query': instead('search', (real) => {
    return async (query, options) =>
      (await real(query, options)).map((entry) => {
        const text = entry.content.slice(0, 320);
        return entry.excerpt === undefined ? entry : { ...entry, excerpt: { text, start: 0, end: text.length } };
      });
  }),
  'an entry of a short record has no excerpt': instead('search', (real) => async (query, options) => {
    return (await real(query, options)).map((entry) => {
      const { content: text } = entry;
      return { ...entry, excerpt: { text, start: 0, end: text.length } };
    });
  }),
  'a query of thousands of words finds what has the word that it repeats': instead('search', (real) => {
    return (query, options) => real(query.slice(0, 1_000), options);
  }),
};

export const searchingMutants: Mutants = {
  'search of an empty store finds nothing': instead('search', (real) => async (query, options) => {
    const entries = await real(query, options);
    return entries.length > 0 ? entries : [{ content: 'Nothing found' }];
  }),
  'search finds a record by its words, for every instance': common.alone,
  'search gives the best entry first, with scores that never rise': instead(
    'search',
    (real) => async (query, options) => (await real(query, options)).toReversed(),
  ),
  'an entry tells all that its record does': instead('search', (real) => async (query, options) => {
    return (await real(query, options)).map((entry) => omit(entry, 'turn', 'createdAt'));
  }),
  'of entries that fit alike the newest comes first': { tie: (a, b) => a.sequence - b.sequence },
  'of the entries of one batch that fit alike the last comes first': {
    tie: (a, b) => b.record.createdAt.localeCompare(a.record.createdAt),
  },
  'a blank query finds nothing': instead('search', (real) => (query, options) => {
    return real(query.trim() === '' ? 'heron' : query, options);
  }),
  'search gives 10 entries where nobody says how many': instead('search', (real) => (query, options) => {
    return real(query, { maxSearchResults: 100, ...options });
  }),
  'search gives as many entries as the call says, else as the store says': instead('search', (real) => {
    return (query, options) => real(query, { maxSearchResults: 10, ...options });
  }),
  'a number of results that is no whole number of 1 or more is refused': forgivesOptions,
  'minScore leaves out entries of a lower score': instead('search', (real) => (query, options) => {
    return real(query, omit(options, 'minScore'));
  }),
  'an entry explains its score only where that was asked for': instead('search', (real) => {
    return async (query, options) => explain(await real(query, options), (score) => ({ words: score }));
  }),
  'to explain changes no score, and what is explained comes to the score': instead('search', (real) => {
    return async (query, options) => {
      const entries = await real(query, options);
      return options?.explain === true ? explain(entries, (score) => ({ words: score, neighbours: score })) : entries;
    };
  }),
  'a minScore that is no finite number is refused': forgivesOptions,
  'a record that was put with index false is never found': { prepare: (input) => ({ ...input, index: true }) },
  'a replacement takes a record out of search, and puts it back': instead('put', (real, _, { records }) => {
    return async (input, options) => {
      const before = records().get(input.id ?? '');
      const record = await real(input, options);
      const known = records().get(record.id);
      if (known !== undefined && before !== undefined) records().set(record.id, { ...known, index: before.index });
      return record;
    };
  }),
  'search after a replacement gives the new text, once': instead('search', (real) => {
    const seen = new Map<string | undefined, MemoryEntry>();
    return async (query, options) =>
      (await real(query, options)).map((entry) => {
        seen.set(entry.id, seen.get(entry.id) ?? entry);
        return seen.get(entry.id) ?? entry;
      });
  }),
  'search after a replacement finds nothing by the old words': instead('put', (real, _, { records }) => {
    return async (input, options) => {
      const before = records().get(input.id ?? '');
      if (before !== undefined) records().set('ghost', { ...before });
      return real(input, options);
    };
  }),
  'search by words finds no record that shares none of them': instead('search', (real) => async (query, options) => {
    const entries = await real(query, options);
    return entries.length > 0 ? entries : real('heron bread', options);
  }),
};

export const literalSearchMutants: Mutants = {
  'no search text is an error, or changes what is stored': instead('search', (real) => async (query, options) => {
    if (/["()]/.test(query)) throw failure('BACKEND');
    return real(query, options);
  }),
  'no search text leads out of the place': instead('search', (real, _, inside) => async (query, options) => {
    return query === '*' ? everything(inside) : real(query, options);
  }),
  'a sign or an operator around a word is no command: the word is still found': instead('search', (real) => {
    return async (query, options) => (/NOT heron|-heron/.test(query) ? [] : real(query, options));
  }),
  'a pattern or a condition that would match everything finds nothing': instead('search', (real, _, inside) => {
    return async (query, options) => (/^[*%]$/.test(query) ? everything(inside) : real(query, options));
  }),
  'a wildcard at a word adds nothing to what the word finds': instead('search', (real) => (query, options) => {
    return real(query.replace('zepp*', 'zepp zeppelin'), options);
  }),
  'a query of 20,000 characters is searched as any other': instead('search', (real) => async (query, options) => {
    if (query.length > 10_000) throw failure('TOO_LARGE');
    return real(query, options);
  }),
  'content that looks like a query is found like any other': {
    words: (text) => text.split(/NOT|;|\$/)[0]?.match(/\w+/g) ?? [],
  },
};

function compared(a: unknown, b: unknown, rule: FilterRule): boolean {
  return rule.operator.startsWith('g') ? String(a) > String(b) : String(a) < String(b);
}

export const filterMutants: Mutants = {
  'an empty filter lets all records pass': {
    passes: (rules, record) => rules.length > 0 && matchesFilter(rules, record),
  },
  'a value matches the same value of the same type': judges((rule, value) =>
    rule.operator === 'eq' ? String(value) === String(rule.value) : undefined,
  ),
  'null matches null, not a field that is missing': judges((rule, value) =>
    rule.operator === 'eq' ? (value ?? null) === rule.value : undefined,
  ),
  'in matches any of its values, and none where it is empty': judges((rule) =>
    rule.operator === 'in' && rule.value.length === 0 ? true : undefined,
  ),
  'exists tells fields that are there, also null, from those that are not': judges((rule, value) =>
    rule.operator === 'exists' ? (value !== undefined && value !== null) === rule.value : undefined,
  ),
  'a field that holds a list or an object matches exists alone': judges((rule, value) =>
    rule.operator === 'eq' && Array.isArray(value) ? value.includes(rule.value as string) : undefined,
  ),
  'gt, gte, lt and lte compare numbers as numbers': judges((rule, value) =>
    typeof rule.value === 'number' && rule.operator !== 'eq' ? compared(value, rule.value, rule) : undefined,
  ),
  'gt, gte, lt and lte compare texts by code point, and no text with a number': judges((rule, value) =>
    typeof value === 'string' && rule.operator === 'gt' ? value > String(rule.value) : undefined,
  ),
  'all fields and all operators of a filter must match': {
    passes: (rules, record) => rules.length === 0 || rules.some((rule) => matchesFilter([rule], record)),
  },
  'numbers match to the last digit': judges((rule, value) =>
    rule.operator === 'eq' ? Math.fround(Number(value)) === Math.fround(Number(rule.value)) : undefined,
  ),
  'createdAt and updatedAt compare with the times of the record, as moments': {
    rules: (filter) =>
      parseFilter(filter).map((rule) =>
        rule.time && rule.operator === 'eq' ? { ...rule, value: filter?.[rule.field] as string } : rule,
      ),
  },
  'a metadata field that is named like a time is not that time': {
    passes: (rules, record) => matchesFilter(rules, { ...record, ...(record.metadata as object) }),
  },
  'a filter sees the metadata of now, not of before a replacement': common.mixes,
  'search filters before it ranks: the limit is filled with records that pass': { filterFirst: false },
};

export const literalFilterMutants: Mutants = {
  'the name of a field is literal: no path, operator, quote or pattern': {
    passes: (rules, record) =>
      rules.every((rule) => {
        const [first = '', second = ''] = rule.field.split('.');
        const inner = record.metadata[first];
        const nested = typeof inner === 'object' && inner !== null ? Reflect.get(inner, second) : undefined;
        return matchesFilter([rule], record) || (nested !== undefined && nested === rule.value);
      }),
  },
  'a value is literal: no pattern, query or folding of case and form': judges((rule, value) =>
    rule.operator === 'eq' ? String(value).trim().toLowerCase() === String(rule.value).trim().toLowerCase() : undefined,
  ),
  'a value with NUL or a lone surrogate matches itself alone': judges((rule, value) =>
    rule.operator === 'eq' ? String(value).split('\0')[0] === String(rule.value).split('\0')[0] : undefined,
  ),
  'the names of object fields are ordinary names: no record has one that it was not given': {
    passes: (rules, record) =>
      rules.every((rule) =>
        rule.operator === 'exists'
          ? (record.metadata[rule.field] !== undefined) === rule.value
          : matchesFilter([rule], record),
      ),
  },
  'a filter that can not be understood is refused: undefined, unknown operators, other types': {
    rules: (filter) => {
      try {
        return parseFilter(filter);
      } catch {
        return [];
      }
    },
  },
  'a filter can not lead out of the place': instead('search', (real, _, { tree }) => (query, options) => {
    const { namespace } = (options?.filter ?? {}) as { namespace?: string };
    if (typeof namespace === 'string') return referenceStore(tree, [namespace], {}).search(query);
    return real(query, options);
  }),
};

const keepsExpiry: Mutant = {
  replace: (next, before) => (before?.expiresAt === undefined ? next : { ...next, expiresAt: before.expiresAt }),
};

export const ttlMutants: Mutants = {
  'a record with a time to live says when it ends': { replace: (next) => omit(next, 'expiresAt') },
  'a record whose time is over is gone from get, for all instances': immortalIn('get'),
  'a record whose time is over is gone from the list, and leaves no gap in its pages': immortalIn('list'),
  'a record whose time is over is never found, and takes no place among the results': immortalIn('search'),
  'records whose time is over do not count in namespaces': immortalIn('count'),
  'namespaces of which something may be in storage are listed on demand, with a count of 0, until they are cleared':
    immortalIn('count'),
  'records whose time is over do not count in clear': immortalIn('clear'),
  'a put on an id whose time is over makes a new record: version 1, created then': immortalIn('put'),
  'ifVersion of a record whose time is over is a conflict, and its delete is false': immortalIn('delete'),
  'a replacement without a time to live lasts': keepsExpiry,
  'a replacement with a time to live lives from then on': keepsExpiry,
  'records of a batch live as long as each of them says': instead('putMany', (real) => (records) => {
    return real(records.map((record) => omit(record, 'ttlMs')));
  }),
  'expiresAt can be filtered by': {
    passes: (rules, record) => matchesFilter(rules, omit(record, 'expiresAt')),
  },
  'a time to live that is no whole number of milliseconds from 1 to 1,000 years is refused': forgives('ttlMs'),
};

/** Searches in all places that `sees` says. */
function searchesWhere(sees: (there: readonly string[], here: readonly string[]) => boolean): Mutant {
  return instead('search', (_, store, { tree }) => async (query, options) => {
    const places = [...tree.places.values()].filter(({ namespace }) => sees(namespace, store.namespace));
    const found = places.map(({ namespace }) => referenceStore(tree, namespace, {}).search(query, options));
    return (await Promise.all(found)).flat();
  });
}

export const namespaceMutants: Mutants = {
  'a store sees neither its parent, its child nor its sibling': searchesWhere(isWithin),
  'a store does not see a sibling whose name begins alike, in either direction': searchesWhere((there, here) =>
    formatNamespace(there).startsWith(formatNamespace(here)),
  ),
  'segments that differ in case, in Unicode form, in a sign or as a pattern are different places': {
    place: (namespace) => JSON.stringify(namespace).normalize('NFC').toLowerCase(),
  },
  'paths are told apart segment by segment, not as joined text': common.joins,
  'any text is a segment of its own: patterns, paths, quotes, devices, separators': {
    place: (namespace) => JSON.stringify(namespace.map((segment) => segment.replaceAll(/[^\w]/g, '_'))),
  },
  'a segment of 256 characters counts to its last one': {
    place: (namespace) => JSON.stringify(namespace.map((segment) => segment.slice(0, 255))),
  },
  'a path can have many segments': { place: (namespace) => JSON.stringify(namespace.slice(0, 8)) },
  'within steps down to the place that the path names, and tells it': instead('within', (real) => {
    return (segments, identity) => real(segments.slice(-1), identity);
  }),
  'within nothing is this same place': instead('within', (real) => (segments, identity) => {
    return real(segments.length === 0 ? ['default'] : segments, identity);
  }),
  'within refuses segments that are empty, too long, not valid Unicode or no text': instead('within', (real) => {
    return (segments, identity) => real(segments === undefined ? [] : segments, identity);
  }),
  'the path of a store is its own: changing what was passed in or got out moves nothing': instead('within', (real) => {
    return (segments, identity) => {
      const now = () => real(segments, identity);
      return new Proxy(now(), { get: (_, property) => Reflect.get(now(), property) });
    };
  }),
  'no two generated paths ever meet: 0 crossings in get, list, search, count and delete': {
    place: (namespace) => JSON.stringify([namespace[0], namespace.length]),
  },
};
