import { formatNamespace, type MemoryEntry } from '@keepsake/core';
import { type FilterRule, isWithin, matchesFilter, parseFilter } from '@keepsake/core/adapter';
import { type Inside, referenceStore, toEntry } from '../reference.ts';
import {
  common,
  failure,
  forgives,
  ignoresExpiryIn,
  instead,
  judges,
  type Mutant,
  type Mutants,
  omit,
  onlyValue,
} from './mutant.ts';

const forgivesOptions = instead('search', (real) => (query, options) => real(query, options).catch(() => real(query)));

/** The entries of all namespaces. */
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
  'a search finds entries whose texts are long together, with a filter, too': instead(
    'search',
    (real) => async (query, options) => {
      const entries = await real(query, options);
      return entries.filter((_, place) => place < 6);
    },
  ),
  'a query of thousands of words finds the entry with its repeated word': instead('search', (real) => {
    return (query, options) => real(query.slice(0, 1_000), options);
  }),
};

export const searchingMutants: Mutants = {
  'search of an empty store finds nothing': instead('search', (real) => async (query, options) => {
    const entries = await real(query, options);
    return entries.length > 0 ? entries : [{ content: 'Nothing found' }];
  }),
  'search finds a record by its words, for every instance': common.alone,
  'search returns the best entry first, with non-increasing scores': instead(
    'search',
    (real) => async (query, options) => (await real(query, options)).toReversed(),
  ),
  'an entry has all fields of its record': instead('search', (real) => async (query, options) => {
    return (await real(query, options)).map((entry) => omit(entry, 'turn', 'createdAt'));
  }),
  'of entries with equal scores, the newest comes first': { tie: (a, b) => a.sequence - b.sequence },
  'of entries of one batch with equal scores, the last comes first': {
    tie: (a, b) => b.record.createdAt.localeCompare(a.record.createdAt),
  },
  'a blank query finds nothing': instead('search', (real) => (query, options) => {
    return real(query.trim() === '' ? 'heron' : query, options);
  }),
  'search returns 10 entries by default': instead('search', (real) => (query, options) => {
    return real(query, { maxSearchResults: 100, ...options });
  }),
  "search returns as many entries as the call asks for, else the store's limit": instead('search', (real) => {
    return (query, options) => real(query, { maxSearchResults: 10, ...options });
  }),
  'a limit that is not a whole number ≥ 1 is refused': forgivesOptions,
  'minScore leaves out entries with a lower score': instead('search', (real) => (query, options) => {
    return real(query, omit(options, 'minScore'));
  }),
  'an entry explains its score only on request': instead('search', (real) => {
    return async (query, options) => explain(await real(query, options), (score) => ({ words: score }));
  }),
  'explain does not change scores, and explanations add up to the score': instead('search', (real) => {
    return async (query, options) => {
      const entries = await real(query, options);
      return options?.explain === true ? explain(entries, (score) => ({ words: score, neighbours: score })) : entries;
    };
  }),
  'a minScore that is not a finite number is refused': forgivesOptions,
  'a record with index false is never found': { prepare: (input) => ({ ...input, index: true }) },
  'a replacement takes a record out of search, and puts it back': instead('put', (real, _, { records }) => {
    return async (input, options) => {
      const before = records().get(input.id ?? '');
      const record = await real(input, options);
      const known = records().get(record.id);
      if (known !== undefined && before !== undefined) known.record = { ...known.record, index: before.record.index };
      return record;
    };
  }),
  'search after a replacement returns the new text, once': instead('search', (real) => {
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
  'lexical search finds only records that share a word': instead('search', (real) => async (query, options) => {
    const entries = await real(query, options);
    return entries.length > 0 ? entries : real('heron bread', options);
  }),
};

export const literalSearchMutants: Mutants = {
  'no search text causes an error or changes stored data': instead('search', (real) => async (query, options) => {
    if (/["()]/.test(query)) throw failure('BACKEND');
    return real(query, options);
  }),
  'no search text leads out of the namespace': instead('search', (real, _, inside) => async (query, options) => {
    return query === '*' ? everything(inside) : real(query, options);
  }),
  'special characters and operators around a word are not commands: the word is still found': instead(
    'search',
    (real) => {
      return async (query, options) => (/NOT heron|-heron/.test(query) ? [] : real(query, options));
    },
  ),
  'a pattern or a condition that would match everything finds nothing': instead('search', (real, _, inside) => {
    return async (query, options) => (/^[*%]$/.test(query) ? everything(inside) : real(query, options));
  }),
  'a wildcard after a word finds nothing more than the word': instead('search', (real) => (query, options) => {
    return real(query.replace('zepp*', 'zepp zeppelin'), options);
  }),
  'a query of 20,000 characters works like any other': instead('search', (real) => async (query, options) => {
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
  'an empty filter matches all records': {
    passes: (rules, record) => rules.length > 0 && matchesFilter(rules, record),
  },
  'each operator selects the records that pass it': judges((rule) => (rule.operator === 'lte' ? false : undefined)),
  'a value matches the same value of the same type': judges((rule, value) =>
    onlyValue(rule) === undefined ? undefined : String(value) === String(onlyValue(rule)),
  ),
  'null matches null, not a missing field': judges((rule, value) =>
    onlyValue(rule) === undefined ? undefined : (value ?? null) === onlyValue(rule),
  ),
  'in matches any of its values, and nothing if empty': judges((rule) =>
    rule.operator === 'in' && rule.value.length === 0 ? true : undefined,
  ),
  // Like a comparison with NULL in SQL.
  'ne matches every record that the value does not match, including records without the field': judges((rule, value) =>
    rule.operator === 'in' && rule.not && value === undefined ? false : undefined,
  ),
  'ne of a time matches the records of other moments, also those that never expire': {
    passes: (rules, record) =>
      rules.every((rule) => (rule.field === 'expiresAt' && !record.expiresAt ? false : matchesFilter([rule], record))),
  },
  'exists distinguishes present fields, including null, from missing ones': judges((rule, value) =>
    rule.operator === 'exists' ? (value !== undefined && value !== null) !== rule.not : undefined,
  ),
  'a field that holds a list or an object matches exists and ne alone': judges((rule, value) =>
    rule.operator === 'in' && Array.isArray(value)
      ? value.some((one) => rule.value.includes(one as string)) !== rule.not
      : undefined,
  ),
  'gt, gte, lt and lte compare numbers as numbers': judges((rule, value) =>
    'value' in rule && typeof rule.value === 'number' ? compared(value, rule.value, rule) : undefined,
  ),
  'gt, gte, lt and lte compare texts by code point, and no text with a number': judges((rule, value) =>
    typeof value === 'string' && rule.operator === 'gt' ? value > String(rule.value) : undefined,
  ),
  'all fields and all operators of a filter must match': {
    passes: (rules, record) => rules.length === 0 || rules.some((rule) => matchesFilter([rule], record)),
  },
  'numbers match to the last digit': judges((rule, value) =>
    onlyValue(rule) === undefined ? undefined : Math.fround(Number(value)) === Math.fround(Number(onlyValue(rule))),
  ),
  'createdAt and updatedAt compare with the times of the record, as moments, and dates as whole days': {
    rules: (filter) =>
      parseFilter(filter).map((rule) => {
        const given = filter?.[rule.field];
        return rule.part === 'time' && typeof given === 'string'
          ? { ...rule, operator: 'in', value: [given], not: false }
          : rule;
      }),
  },
  'a metadata field that is named like a time is not that time': {
    passes: (rules, record) => matchesFilter(rules, { ...record, ...(record.metadata as object) }),
  },
  'a filter uses the current metadata, not that before a replacement': common.mixes,
  'search filters before it ranks: the limit is filled with records that pass': { filterFirst: false },
};

export const literalFilterMutants: Mutants = {
  'a field name is literal, never a path, operator, quote or pattern': {
    passes: (rules, record) =>
      rules.every((rule) => {
        const [first = '', second = ''] = rule.field.split('.');
        const inner = record.metadata[first];
        const nested = typeof inner === 'object' && inner !== null ? Reflect.get(inner, second) : undefined;
        return matchesFilter([rule], record) || (nested !== undefined && nested === onlyValue(rule));
      }),
  },
  'a value is literal, without patterns, queries or folding of case and form': judges((rule, value) =>
    onlyValue(rule) === undefined
      ? undefined
      : String(value).trim().toLowerCase() === String(onlyValue(rule)).trim().toLowerCase(),
  ),
  'a value with NUL or a lone surrogate matches only itself': judges((rule, value) =>
    onlyValue(rule) === undefined ? undefined : String(value).split('\0')[0] === String(onlyValue(rule)).split('\0')[0],
  ),
  'names of built-in object fields are ordinary names: no record has one unless it was stored': {
    passes: (rules, record) =>
      rules.every((rule) =>
        rule.operator === 'exists'
          ? (record.metadata[rule.field] !== undefined) !== rule.not
          : matchesFilter([rule], record),
      ),
  },
  'an invalid filter is refused: undefined, unknown operators, other types': {
    rules: (filter) => {
      try {
        return parseFilter(filter);
      } catch {
        return [];
      }
    },
  },
  "a filter can't lead out of the namespace": instead('search', (real, _, { tree }) => (query, options) => {
    const { namespace } = (options?.filter ?? {}) as { namespace?: string };
    if (typeof namespace === 'string') return referenceStore(tree, [namespace], {}).search(query);
    return real(query, options);
  }),
};

const keepsExpiry: Mutant = {
  replace: (next, before) => (before?.expiresAt === undefined ? next : { ...next, expiresAt: before.expiresAt }),
};

export const ttlMutants: Mutants = {
  'a record with a time to live has an expiresAt': { replace: (next) => omit(next, 'expiresAt') },
  'get does not return an expired record, in any instance': ignoresExpiryIn('get'),
  'list does not return expired records, and its pages have no gaps': ignoresExpiryIn('list'),
  'search never finds an expired record, which takes no place among the results': ignoresExpiryIn('search'),
  'expired records do not count in namespaces': ignoresExpiryIn('count'),
  'namespaces that may have data in storage are listed on request, with a count of 0, until they are cleared':
    ignoresExpiryIn('count'),
  'expired records do not count in clear': ignoresExpiryIn('clear'),
  'a put on an expired id creates a new record, with a new version and a new createdAt': ignoresExpiryIn('put'),
  'ifVersion of an expired record is a conflict, and its delete returns false': ignoresExpiryIn('delete'),
  'a replacement without a time to live does not expire': keepsExpiry,
  'the time to live of a replacement starts with the replacement': keepsExpiry,
  'each record of a batch has its own time to live': instead('putMany', (real) => (records) => {
    return real(records.map((record) => omit(record, 'ttlMs')));
  }),
  'expiresAt can be filtered by': {
    passes: (rules, record) => matchesFilter(rules, omit(record, 'expiresAt')),
  },
  'a time to live that is not a whole number of milliseconds from 1 to 1,000 years is refused': forgives('ttlMs'),
};

/** Searches the namespaces that `sees` selects. */
function searchesWhere(sees: (there: readonly string[], here: readonly string[]) => boolean): Mutant {
  return instead('search', (_, store, { tree }) => async (query, options) => {
    const places = [...tree.places.values()].filter(({ namespace }) => sees(namespace, store.namespace));
    const found = places.map(({ namespace }) => referenceStore(tree, namespace, {}).search(query, options));
    return (await Promise.all(found)).flat();
  });
}

export const namespaceMutants: Mutants = {
  'a store sees neither its parent, its child nor its sibling': searchesWhere(isWithin),
  'a store does not see a sibling with a common name prefix, in either direction': searchesWhere((there, here) =>
    formatNamespace(there).startsWith(formatNamespace(here)),
  ),
  'segments that differ in case, Unicode form or a character, or as a pattern, are different namespaces': {
    place: (namespace) => JSON.stringify(namespace).normalize('NFC').toLowerCase(),
  },
  'paths are compared segment by segment, not as joined text': common.joins,
  'any text is a distinct segment: patterns, paths, quotes, devices, separators': {
    place: (namespace) => JSON.stringify(namespace.map((segment) => segment.replaceAll(/[^\w]/g, '_'))),
  },
  'a segment of 256 characters counts to its last one': {
    place: (namespace) => JSON.stringify(namespace.map((segment) => segment.slice(0, 255))),
  },
  'a path can have many segments': { place: (namespace) => JSON.stringify(namespace.slice(0, 8)) },
  'within opens the namespace of the path, and exposes it': instead('within', (real) => {
    return (segments, identity) => real(segments.slice(-1), identity);
  }),
  'within an empty path is the same namespace': instead('within', (real) => (segments, identity) => {
    return real(segments.length === 0 ? ['default'] : segments, identity);
  }),
  'within refuses segments that are empty, too long, invalid Unicode or not strings': instead('within', (real) => {
    return (segments, identity) => real(segments === undefined ? [] : segments, identity);
  }),
  'the namespace of a store is a copy: changing the argument or the result has no effect': instead('within', (real) => {
    return (segments, identity) => {
      const now = () => real(segments, identity);
      return new Proxy(now(), { get: (_, property) => Reflect.get(now(), property) });
    };
  }),
  'generated paths never collide: 0 crossings in get, list, search, count and delete': {
    place: (namespace) => JSON.stringify([namespace[0], namespace.length]),
  },
};
