import {
  type ListOptions,
  type MemoryEntry,
  MemoryError,
  type MemoryRecord,
  type Namespace,
  type Page,
  type PageOptions,
  type RecordStore,
  type SearchOptions,
  type StoreCapabilities,
  type StoreIdentity,
} from '@keepsake/core';
import {
  bestPassage,
  canonicalJson,
  checkId,
  checkIdentity,
  checkIfVersion,
  checkNamespace,
  contentId,
  expectKnownFields,
  expectVersion,
  type Filterable,
  type FilterRule,
  isWithin,
  LIST_OPTIONS,
  MessageRecorder,
  matchesFilter,
  PAGE_OPTIONS,
  type PreparedRecord,
  pageLimit,
  parseFilter,
  prepareRecord,
  prepareRecords,
  RECORD_SEARCH_OPTIONS,
  readCursor,
  STORE_IDENTITY,
  searchLimit,
  throwIfAborted,
  uuidv7,
  writeCursor,
} from '@keepsake/core/adapter';

/** A record with its creation number. */
export interface Stored {
  record: MemoryRecord;
  /** Counts creations, so that the order of lists does not depend on a clock. */
  readonly sequence: number;
}

/** All records by namespace. */
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

/** The fewest capabilities of a store. */
export const NONE: StoreCapabilities = { ...ALL, atomicBatch: false, ttl: false, enumerate: false, filter: false };

/** The parts of the store, which mutants replace. */
export interface Parts {
  readonly capabilities: StoreCapabilities;
  /** The keys of a namespace and of a record in it. */
  place(namespace: Namespace): string;
  key(id: string): string;
  isBelow(inner: Namespace, outer: Namespace): boolean;
  copy<T>(value: T): T;
  prepare(input: PreparedRecord): PreparedRecord;
  /** The stored record after a put. */
  replace(next: MemoryRecord, before: MemoryRecord | undefined): MemoryRecord;
  alive(record: MemoryRecord, use: 'get' | 'list' | 'search' | 'count' | 'clear' | 'put' | 'delete'): boolean;
  expect(ifVersion: number | undefined, version: number): void;
  /** Whether writes await between reading and writing, so that concurrent calls can interfere. */
  readonly gap: boolean;
  words(text: string): readonly string[];
  passes(rules: readonly FilterRule[], record: Filterable): boolean;
  rules(filter: SearchOptions['filter']): FilterRule[];
  /** Orders entries with equal scores. */
  tie(a: Stored, b: Stored): number;
  filterFirst: boolean;
  /** Refuses unknown options. */
  expectKnown(options: object | undefined, known: Readonly<Record<string, true>>): void;
  /** Replaces methods of the finished store. */
  override(store: RecordStore, inside: Inside): Partial<RecordStore>;
}

/** What an override can access. */
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
  expectKnown: (options = {}, known) => expectKnownFields(options, known),
  override: () => ({}),
};

/** A small, correct store in memory. With changed parts, it is broken in exactly one way. */
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
    within: (segments, more = {}) => {
      parts.expectKnown(more, STORE_IDENTITY);
      return referenceStore(tree, [...place, ...checkNamespace(segments)], narrowed(identity, more), changed);
    },
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

/** Refuses every call once the store is closed, and makes close wait for calls in flight. */
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
    records().set(key, { record, sequence: known?.sequence ?? tree.sequence++ });
    return parts.copy(record);
  };

  const prepared = (input: PreparedRecord) => parts.prepare({ ...input, id: input.id ?? uuidv7() });

  const store: Pick<RecordStore, 'put' | 'putMany' | 'add' | 'addMessages' | 'delete' | 'clear'> = {
    async put(input, options = {}) {
      checkWritable();
      parts.expectKnown(options, { ifVersion: true, signal: true });
      const { ifVersion, signal } = options;
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
      // Long enough for all concurrent calls to have read: their ids are hashed on other threads.
      if (parts.gap) await new Promise((resolve) => setTimeout(resolve, 100));
      return write(withId, undefined, before(withId));
    },
    async addMessages(messages, context) {
      checkWritable();
      parts.expectKnown(context, { sequenceNumbers: true, runId: true, thread: true });
      const { putMany } = store;
      const get = async (id: string) => records().get(parts.key(id))?.record;
      return recorder.add({ get, putMany }, messages, context);
    },
    async delete(id, options = {}) {
      checkWritable();
      parts.expectKnown(options, { ifVersion: true });
      const { ifVersion } = options;
      checkIfVersion(ifVersion);
      await tick();
      const known = records().get(parts.key(id));
      if (known === undefined || !parts.alive(known.record, 'delete')) return false;
      if (parts.gap) await tick();
      parts.expect(ifVersion, known.record.version);
      records().delete(parts.key(id));
      return true;
    },
    async clear(options = {}) {
      checkWritable();
      parts.expectKnown(options, { descendants: true });
      const { descendants = false } = options;
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
    if (!parts.capabilities.enumerate) throw new MemoryError('UNSUPPORTED', 'This store cannot list.');
  };
  const rulesOf = (filter: SearchOptions['filter']) => {
    if (filter !== undefined && !parts.capabilities.filter) {
      throw new MemoryError('UNSUPPORTED', 'This store cannot filter.');
    }
    return parts.rules(filter);
  };

  /** The namespace of the store and, with `descendants`, those below. */
  const placesFor = ({ descendants = false }: Pick<ListOptions, 'descendants'> = {}): Placed[] => {
    if (typeof descendants !== 'boolean')
      throw new MemoryError('INVALID_ARGUMENT', '`descendants` must be true or false.');
    const here = { key: '', namespace, records: records() };
    if (!descendants) return [here];
    checkEnumerate();
    const below = [...tree.places].filter(([, one]) => parts.isBelow(one.namespace, namespace));
    return [here, ...below.map(([key, one]) => ({ key, ...one })).sort((a, b) => (a.key < b.key ? -1 : 1))];
  };

  const aliveIn = ({ key, namespace, records }: Placed, use: 'list' | 'search'): Found[] =>
    [...records.values()]
      .filter(({ record }) => parts.alive(record, use))
      .map((stored) => ({ ...stored, key, namespace }));

  const store: Pick<RecordStore, 'get' | 'search' | 'list' | 'namespaces'> = {
    async get(id) {
      await tick();
      const known = records().get(parts.key(id));
      return known !== undefined && parts.alive(known.record, 'get') ? parts.copy(known.record) : undefined;
    },
    async search(query, options = {}) {
      parts.expectKnown(options, RECORD_SEARCH_OPTIONS);
      const limit = searchLimit(identity, options);
      const rules = rulesOf(options.filter);
      await tick();
      throwIfAborted(options.signal);
      const alive = placesFor(options).flatMap((place) => aliveIn(place, 'search'));
      const ranked = rank(alive, query, rules, parts);
      const { minScore = 0 } = options;
      const good = ranked.filter(({ score }) => score >= minScore).slice(0, limit);
      const passing = parts.filterFirst ? good : good.filter(({ one }) => parts.passes(rules, one.record));
      return passing.map(({ one, score }) => ({
        ...toEntry(one.record, score, parts, query),
        ...(options.descendants && { namespace: parts.copy(one.namespace) }),
      }));
    },
    async list(options) {
      checkEnumerate();
      parts.expectKnown(options, LIST_OPTIONS);
      const [limit, rules] = [pageLimit(options), rulesOf(options?.filter)];
      const { idPrefix = '' } = options ?? {};
      if (options?.idPrefix !== undefined) checkId(idPrefix, 'idPrefix');
      const last = readCursor(options?.cursor, kindOf(options), ['string', 'number']) as Position | undefined;
      const places = placesFor(options);
      await tick();
      throwIfAborted(options?.signal);
      const alive = places.flatMap((place) => aliveIn(place, 'list'));
      const passing = alive.filter(({ record }) => record.id.startsWith(idPrefix) && parts.passes(rules, record));
      return pageOf(passing, options, last, limit, parts);
    },
    async namespaces(options) {
      checkEnumerate();
      parts.expectKnown(options, { ...PAGE_OPTIONS, empty: true });
      const limit = pageLimit(options);
      const [last] = readCursor(options?.cursor, 'namespaces', ['string']) ?? [];
      await tick();
      return namespacesBelow(tree, namespace, last, limit, options?.empty === true, parts);
    },
  };
  return store;
}

/** A namespace of a search or a list. The store's own namespace has the key ''. */
interface Placed {
  readonly key: string;
  readonly namespace: Namespace;
  readonly records: ReadonlyMap<string, Stored>;
}

type Found = Stored & Pick<Placed, 'key' | 'namespace'>;

/** Where a page ended. */
type Position = readonly [key: string, sequence: number];

function kindOf({ order = 'newest', descendants = false }: ListOptions = {}): string {
  return descendants ? `${order} below` : order;
}

function rank(alive: readonly Found[], query: string, rules: readonly FilterRule[], parts: Parts) {
  const wanted = new Set(parts.words(query));
  const candidates = alive.filter(({ record }) => record.index);
  const passing = parts.filterFirst ? candidates.filter(({ record }) => parts.passes(rules, record)) : candidates;
  return passing
    .map((one) => ({ one, score: scoreOf(parts.words(one.record.content), wanted) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || parts.tie(a.one, b.one));
}

/** The number of matching words, with their density as a tie-break. */
function scoreOf(words: readonly string[], wanted: ReadonlySet<string>): number {
  const hits = words.filter((word) => wanted.has(word));
  return hits.length === 0 ? 0 : new Set(hits).size + hits.length / words.length;
}

function pageOf(
  passing: readonly Found[],
  options: ListOptions | undefined,
  last: Position | undefined,
  limit: number,
  parts: Parts,
): Page<MemoryRecord> {
  const { order = 'newest', descendants = false } = options ?? {};
  const direction = order === 'oldest' ? 1 : -1;
  const compare = (a: Position, b: Position) => (a[0] === b[0] ? (a[1] - b[1]) * direction : a[0] < b[0] ? -1 : 1);
  const rest = passing
    .map((one) => ({ ...one, position: [one.key, one.sequence] as const }))
    .filter(({ position }) => last === undefined || compare(position, last) > 0)
    .sort((a, b) => compare(a.position, b.position));
  const page = rest.slice(0, limit);
  const items = page.map(({ record, namespace }) => parts.copy(descendants ? { ...record, namespace } : record));
  return rest.length > limit ? { items, cursor: writeCursor(kindOf(options), page.at(-1)?.position ?? []) } : { items };
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
    ...(input.source === undefined ? {} : { source: input.source }),
    index: input.index,
  };
}

export function toEntry(
  record: MemoryRecord,
  score: number,
  parts: Pick<Parts, 'copy' | 'words'>,
  query = '',
): MemoryEntry {
  const { id, content, metadata, createdAt, updatedAt, turn, source } = parts.copy(record);
  const wanted = new Set(parts.words(query));
  const excerpt = bestPassage(content, (part) =>
    parts.words(part).flatMap((word) => (wanted.has(word) ? [[word, 1] as const] : [])),
  );
  return {
    ...{ id, content, metadata, score, createdAt, updatedAt },
    ...(turn === undefined ? {} : { turn }),
    ...(source === undefined ? {} : { source }),
    ...(excerpt === undefined ? {} : { excerpt }),
  };
}

function same(a: MemoryRecord['metadata'], b: MemoryRecord['metadata']): boolean {
  return canonicalJson(a, 'metadata') === canonicalJson(b, 'metadata');
}

function tick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
