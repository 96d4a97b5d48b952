import {
  bestPassage,
  canonicalJson,
  checkIdentity,
  checkIfVersion,
  checkNamespace,
  contentId,
  expectVersion,
  type Filterable,
  type FilterRule,
  isWithin,
  type ListOptions,
  type MemoryEntry,
  MemoryError,
  type MemoryRecord,
  MessageRecorder,
  matchesFilter,
  type Namespace,
  type Page,
  type PageOptions,
  type PreparedRecord,
  pageLimit,
  parseFilter,
  prepareRecord,
  prepareRecords,
  type RecordStore,
  readCursor,
  type SearchOptions,
  type StoreCapabilities,
  type StoreIdentity,
  searchLimit,
  throwIfAborted,
  uuidv7,
  writeCursor,
} from '@keepsake/core';

/** A record, and what the store knows of it beside. */
export interface Stored {
  record: MemoryRecord;
  readonly index: boolean;
  /** Counts creations, so that lists have an order which no clock can shuffle. */
  readonly sequence: number;
}

/** All records, place by place. */
export interface Tree {
  readonly places: Map<string, { readonly namespace: Namespace; readonly records: Map<string, Stored> }>;
  sequence: number;
}

export function newTree(): Tree {
  return { places: new Map(), sequence: 0 };
}

export const ALL: StoreCapabilities = {
  search: 'lexical',
  consistency: 'strong',
  durable: false,
  shared: false,
  atomicBatch: true,
  ttl: true,
  enumerate: true,
  filter: true,
};

/** The capabilities of a store that can do least. */
export const NONE: StoreCapabilities = { ...ALL, atomicBatch: false, ttl: false, enumerate: false, filter: false };

/** The decisions of the store, which mutants take in a wrong way. */
export interface Parts {
  readonly capabilities: StoreCapabilities;
  /** The key of a place, and of a record in it. */
  place(namespace: Namespace): string;
  key(id: string): string;
  isBelow(inner: Namespace, outer: Namespace): boolean;
  copy<T>(value: T): T;
  prepare(input: PreparedRecord): PreparedRecord;
  /** What a put leaves of what was there and what is new. */
  replace(next: MemoryRecord, before: MemoryRecord | undefined): MemoryRecord;
  alive(record: MemoryRecord, use: 'get' | 'list' | 'search' | 'count' | 'clear' | 'put' | 'delete'): boolean;
  expect(ifVersion: number | undefined, version: number): void;
  /** Waits between reading and writing: nowhere. Where there is a wait, others come between. */
  readonly gap: boolean;
  words(text: string): readonly string[];
  passes(rules: readonly FilterRule[], record: Filterable): boolean;
  rules(filter: SearchOptions['filter']): FilterRule[];
  /** Orders entries of the same score. */
  tie(a: Stored, b: Stored): number;
  filterFirst: boolean;
  /** Replaces methods of the finished store. */
  override(store: RecordStore, inside: Inside): Partial<RecordStore>;
}

/** What an override may use. */
export interface Inside {
  readonly tree: Tree;
  readonly parts: Parts;
  records(): Map<string, Stored>;
}

const correct: Parts = {
  capabilities: ALL,
  place: (namespace) => JSON.stringify(namespace),
  key: (id) => id,
  isBelow: (inner, outer) => inner.length > outer.length && isWithin(inner, outer),
  copy: structuredClone,
  prepare: (input) => input,
  replace: (next) => next,
  alive: ({ expiresAt }) => expiresAt === undefined || Date.parse(expiresAt) > Date.now(),
  expect: expectVersion,
  gap: false,
  words: (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [],
  passes: matchesFilter,
  rules: parseFilter,
  tie: (a, b) => b.sequence - a.sequence,
  filterFirst: true,
  override: () => ({}),
};

/** A small, correct store in memory; or, with other parts, one that is broken in just one way. */
export function referenceStore(
  tree: Tree,
  namespace: Namespace,
  identity: Partial<StoreIdentity>,
  changed: Partial<Parts> = {},
): RecordStore {
  const parts: Parts = { ...correct, ...changed };
  const place = checkNamespace(namespace);
  const records = () => recordsOf(tree, place, parts);
  const store = { ...reading(tree, place, identity, parts), ...writing(tree, place, identity, parts) };
  const { calls, close } = closing(store);
  const full: RecordStore = {
    name: 'reference',
    writable: true,
    ...checkIdentity(identity),
    namespace: place,
    capabilities: parts.capabilities,
    ...calls,
    within: (segments, more = {}) =>
      referenceStore(tree, [...place, ...checkNamespace(segments)], narrowed(identity, more), changed),
    close,
    [Symbol.asyncDispose]: close,
  };
  return Object.assign(full, parts.override({ ...full }, { tree, parts, records }));
}

function narrowed(identity: Partial<StoreIdentity>, more: Partial<StoreIdentity>): Partial<StoreIdentity> {
  return { ...identity, ...checkIdentity(more), ...(identity.writable === false ? { writable: false } : {}) };
}

function recordsOf(tree: Tree, namespace: Namespace, parts: Parts): Map<string, Stored> {
  const key = parts.place(namespace);
  const known = tree.places.get(key) ?? { namespace, records: new Map() };
  tree.places.set(key, known);
  return known.records;
}

/** Makes every call refused once the store is closed, and close wait for those that have begun. */
function closing<T extends object>(methods: T): { calls: T; close(): Promise<void> } {
  let closed = false;
  const running = new Set<Promise<unknown>>();
  const guarded = Object.entries(methods).map(([name, method]: [string, (...args: unknown[]) => Promise<unknown>]) => [
    name,
    async (...args: unknown[]) => {
      if (closed) throw new MemoryError('CLOSED', 'This store is closed. Open it again.');
      const call = method(...args);
      running.add(call);
      call.catch(() => undefined).finally(() => running.delete(call));
      return call;
    },
  ]);
  const close = async () => {
    closed = true;
    await Promise.allSettled(running);
  };
  return { calls: Object.fromEntries(guarded) as T, close };
}

function writing(tree: Tree, namespace: Namespace, identity: Partial<StoreIdentity>, parts: Parts) {
  const records = () => recordsOf(tree, namespace, parts);
  const recorder = new MessageRecorder();
  const checkWritable = () => {
    if (identity.writable === false) throw new MemoryError('READ_ONLY', 'This store was opened for reading.');
  };

  const checkTtl = (inputs: readonly PreparedRecord[]) => {
    if (parts.capabilities.ttl || inputs.every(({ ttlMs }) => ttlMs === undefined)) return;
    throw new MemoryError('UNSUPPORTED', 'This store has no time to live. Leave out ttlMs.');
  };

  const before = ({ id }: PreparedRecord): Stored | undefined => {
    const known = records().get(parts.key(id as string));
    return known !== undefined && parts.alive(known.record, 'put') ? known : undefined;
  };

  const write = (input: PreparedRecord, ifVersion: number | undefined, known: Stored | undefined): MemoryRecord => {
    parts.expect(ifVersion, known?.record.version ?? 0);
    const key = parts.key(input.id as string);
    if (known === undefined) records().delete(key);
    const record = parts.replace(toRecord(input, known?.record), known?.record);
    records().set(key, { record, index: input.index, sequence: known?.sequence ?? tree.sequence++ });
    return parts.copy(record);
  };

  const prepared = (input: PreparedRecord) => parts.prepare({ ...input, id: input.id ?? uuidv7() });

  const store: Pick<RecordStore, 'put' | 'putMany' | 'add' | 'addMessages' | 'delete' | 'clear'> = {
    async put(input, { ifVersion, signal } = {}) {
      checkWritable();
      checkIfVersion(ifVersion);
      const one = prepared(prepareRecord(input));
      checkTtl([one]);
      const early = before(one);
      await tick();
      throwIfAborted(signal);
      return write(one, ifVersion, parts.gap ? early : before(one));
    },
    async putMany(inputs) {
      checkWritable();
      const many = prepareRecords(inputs).map(prepared);
      checkTtl(many);
      await tick();
      return many.map((one) => write(one, undefined, before(one)));
    },
    async add(content, metadata) {
      checkWritable();
      const one = prepareRecord(metadata === undefined ? { content } : { content, metadata });
      const withId = prepared({ ...one, id: await contentId(content) });
      const early = before(withId);
      const known = parts.gap ? early : before(withId);
      if (known !== undefined && same(known.record.metadata, withId.metadata)) return parts.copy(known.record);
      if (parts.gap) await tick();
      return write(withId, undefined, before(withId));
    },
    async addMessages(messages, context) {
      checkWritable();
      const { putMany } = store;
      const get = async (id: string) => records().get(parts.key(id))?.record;
      return recorder.add({ get, putMany }, messages, context);
    },
    async delete(id, { ifVersion } = {}) {
      checkWritable();
      checkIfVersion(ifVersion);
      await tick();
      const known = records().get(parts.key(id));
      if (known === undefined || !parts.alive(known.record, 'delete')) return false;
      if (parts.gap) await tick();
      parts.expect(ifVersion, known.record.version);
      records().delete(parts.key(id));
      return true;
    },
    async clear({ descendants = false } = {}) {
      checkWritable();
      await tick();
      let count = 0;
      for (const one of [...tree.places.values()]) {
        const here = parts.place(one.namespace) === parts.place(namespace);
        if (!here && !(descendants && parts.isBelow(one.namespace, namespace))) continue;
        count += [...one.records.values()].filter(({ record }) => parts.alive(record, 'clear')).length;
        one.records.clear();
      }
      return count;
    },
  };
  return store;
}

function reading(tree: Tree, namespace: Namespace, identity: Partial<StoreIdentity>, parts: Parts) {
  const records = () => recordsOf(tree, namespace, parts);
  const checkEnumerate = () => {
    if (!parts.capabilities.enumerate) throw new MemoryError('UNSUPPORTED', 'This store can not list.');
  };
  const rulesOf = (filter: SearchOptions['filter']) => {
    if (filter !== undefined && !parts.capabilities.filter) {
      throw new MemoryError('UNSUPPORTED', 'This store can not filter.');
    }
    return parts.rules(filter);
  };

  const store: Pick<RecordStore, 'get' | 'search' | 'list' | 'namespaces'> = {
    async get(id) {
      await tick();
      const known = records().get(parts.key(id));
      return known !== undefined && parts.alive(known.record, 'get') ? parts.copy(known.record) : undefined;
    },
    async search(query, options = {}) {
      const limit = searchLimit(identity, options);
      const rules = rulesOf(options.filter);
      await tick();
      throwIfAborted(options.signal);
      const alive = [...records().values()].filter(({ record }) => parts.alive(record, 'search'));
      const ranked = rank(alive, query, rules, parts);
      const { minScore = 0 } = options;
      const good = ranked.filter(({ score }) => score >= minScore).slice(0, limit);
      const passing = parts.filterFirst ? good : good.filter(({ one }) => parts.passes(rules, one.record));
      return passing.map(({ one, score }) => toEntry(one.record, score, parts, query));
    },
    async list(options) {
      checkEnumerate();
      const [limit, rules] = [pageLimit(options), rulesOf(options?.filter)];
      const position = readCursor(options?.cursor, options?.order ?? 'newest', ['number']);
      await tick();
      throwIfAborted(options?.signal);
      const alive = [...records().values()].filter(({ record }) => parts.alive(record, 'list'));
      const passing = alive.filter(({ record }) => parts.passes(rules, record));
      return pageOf(passing, options, position?.[0] as number | undefined, limit, parts);
    },
    async namespaces(options) {
      checkEnumerate();
      const limit = pageLimit(options);
      const [last] = readCursor(options?.cursor, 'namespaces', ['string']) ?? [];
      await tick();
      return namespacesBelow(tree, namespace, last, limit, options?.empty === true, parts);
    },
  };
  return store;
}

function rank(alive: readonly Stored[], query: string, rules: readonly FilterRule[], parts: Parts) {
  const wanted = new Set(parts.words(query));
  const candidates = alive.filter(({ index }) => index);
  const passing = parts.filterFirst ? candidates.filter(({ record }) => parts.passes(rules, record)) : candidates;
  return passing
    .map((one) => ({ one, score: scoreOf(parts.words(one.record.content), wanted) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || parts.tie(a.one, b.one));
}

/** How many of the words are there, and a little how dense. */
function scoreOf(words: readonly string[], wanted: ReadonlySet<string>): number {
  const hits = words.filter((word) => wanted.has(word));
  return hits.length === 0 ? 0 : new Set(hits).size + hits.length / words.length;
}

function pageOf(
  passing: readonly Stored[],
  options: ListOptions | undefined,
  last: number | undefined,
  limit: number,
  parts: Parts,
): Page<MemoryRecord> {
  const { order = 'newest' } = options ?? {};
  const direction = order === 'oldest' ? 1 : -1;
  const rest = passing
    .filter(({ sequence }) => last === undefined || (sequence - last) * direction > 0)
    .sort((a, b) => (a.sequence - b.sequence) * direction);
  const page = rest.slice(0, limit);
  const items = page.map(({ record }) => parts.copy(record));
  return rest.length > limit ? { items, cursor: writeCursor(order, [page.at(-1)?.sequence ?? 0]) } : { items };
}

function namespacesBelow(
  tree: Tree,
  namespace: Namespace,
  last: string | number | undefined,
  limit: PageOptions['limit'],
  empty: boolean,
  parts: Parts,
) {
  const rest = [...tree.places]
    .filter(([, one]) => parts.isBelow(one.namespace, namespace))
    .map(([key, one]) => ({
      key,
      namespace: one.namespace,
      recordCount: [...one.records.values()].filter(({ record }) => parts.alive(record, 'count')).length,
      isStored: one.records.size > 0,
    }))
    .filter(
      ({ key, recordCount, isStored }) =>
        (recordCount > 0 || (empty && isStored)) && (last === undefined || key > String(last)),
    )
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const page = rest.slice(0, limit);
  const items = page.map(({ namespace, recordCount }) => ({ namespace, recordCount }));
  return rest.length > page.length ? { items, cursor: writeCursor('namespaces', [page.at(-1)?.key ?? '']) } : { items };
}

function toRecord(input: PreparedRecord, before: MemoryRecord | undefined): MemoryRecord {
  const now = Date.now();
  const updatedAt = new Date(now).toISOString();
  return {
    id: input.id as string,
    content: input.content,
    metadata: input.metadata,
    version: (before?.version ?? 0) + 1,
    createdAt: before?.createdAt ?? input.createdAt ?? updatedAt,
    updatedAt,
    ...(input.ttlMs === undefined ? {} : { expiresAt: new Date(now + input.ttlMs).toISOString() }),
    ...(input.turn === undefined ? {} : { turn: input.turn }),
  };
}

export function toEntry(
  record: MemoryRecord,
  score: number,
  parts: Pick<Parts, 'copy' | 'words'>,
  query = '',
): MemoryEntry {
  const { id, content, metadata, createdAt, updatedAt, turn } = parts.copy(record);
  const wanted = new Set(parts.words(query));
  const excerpt = bestPassage(content, (part) =>
    parts.words(part).flatMap((word) => (wanted.has(word) ? [[word, 1] as const] : [])),
  );
  return {
    ...{ id, content, metadata, score, createdAt, updatedAt },
    ...(turn === undefined ? {} : { turn }),
    ...(excerpt === undefined ? {} : { excerpt }),
  };
}

function same(a: MemoryRecord['metadata'], b: MemoryRecord['metadata']): boolean {
  return canonicalJson(a, 'metadata') === canonicalJson(b, 'metadata');
}

function tick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
