import {
  type ListOptions,
  type MemoryEntry,
  MemoryError,
  type MemoryRecord,
  type Namespace,
  type NamespaceListOptions,
  type Page,
  type RecordStore,
  type SearchOptions,
  type StoreCapabilities,
  type StoreIdentity,
} from '@keepsake/core';
import {
  bestPassage,
  CursorSeal,
  canonicalJson,
  checkId,
  checkIdentity,
  checkNamespace,
  contentId,
  expect,
  expectKnownFields,
  expectWhole,
  type FilterRule,
  firstVersion,
  guarded,
  isWithin,
  MessageRecorder,
  matchesFilter,
  PAGE_OPTIONS,
  type PreparedRecord,
  pageLimit,
  parseFilter,
  prepareRecord,
  prepareRecords,
  readCursor,
  STORE_OPTIONS,
  searchLimit,
  throwIfAborted,
  uuidv7,
  writeCursor,
} from '@keepsake/core/adapter';

const { namespace: _, ...IDENTITY_FIELDS } = STORE_OPTIONS;
const SEARCH_FIELDS = {
  maxSearchResults: true,
  filter: true,
  minScore: true,
  explain: true,
  signal: true,
  descendants: true,
} as const;
const LIST_FIELDS = {
  limit: true,
  cursor: true,
  order: true,
  idPrefix: true,
  descendants: true,
  filter: true,
  asOf: true,
  history: true,
  signal: true,
} as const;

/** Throws `CONFLICT` unless a record has the expected version; 0 means that it does not exist. */
export function expectVersion(ifVersion: number | undefined, version: number): void {
  if (ifVersion !== undefined && ifVersion !== version) throw new MemoryError('CONFLICT', `The version is ${version}.`);
}

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
  history: true,
};

/** The most capabilities of a store that lists but cannot filter. */
export const NO_FILTER: StoreCapabilities = { ...ALL, filter: false, history: false };

/** The fewest capabilities of a store. */
export const NONE: StoreCapabilities = {
  ...ALL,
  atomicBatch: false,
  ttl: false,
  enumerate: false,
  filter: false,
  history: false,
};

/** The parts of the store, which mutants replace. */
export interface Parts {
  readonly capabilities: StoreCapabilities;
  /** The keys of a namespace and of a record in it. */
  place(namespace: Namespace): string;
  key(id: string): string;
  isBelow(inner: Namespace, outer: Namespace): boolean;
  /** Whether a namespace has a segment below a depth. */
  hasSegment(namespace: Namespace, segment: string, depth: number): boolean;
  copy<T>(value: T): T;
  prepare(input: PreparedRecord): PreparedRecord;
  /** The stored record after a put. */
  replace(next: MemoryRecord, before: MemoryRecord | undefined): MemoryRecord;
  alive(record: MemoryRecord, use: 'get' | 'list' | 'search' | 'count' | 'clear' | 'put' | 'delete'): boolean;
  expect(ifVersion: number | undefined, version: number): void;
  /** Whether writes await between reading and writing, so that concurrent calls can interfere. */
  readonly gap: boolean;
  words(text: string): readonly string[];
  passes(rules: readonly FilterRule[], record: Parameters<typeof matchesFilter>[1]): boolean;
  rules(filter: SearchOptions['filter']): FilterRule[];
  /** Orders entries with equal scores. */
  tie(a: Stored, b: Stored): number;
  filterFirst: boolean;
  /** Returns a copy of options. Refuses unknown ones. */
  expectKnown<Options extends object>(options: Options | undefined, known: Readonly<Record<string, true>>): Options;
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
  hasSegment: (namespace, segment, depth) => namespace.slice(depth).includes(segment),
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
  expectKnown: <Options extends object>(options: Options | undefined, known: Readonly<Record<string, true>>) =>
    expectKnownFields(options ?? ({} as Options), known),
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
      const given = parts.expectKnown(more, IDENTITY_FIELDS);
      return referenceStore(tree, [...place, ...checkNamespace(segments)], narrowed(identity, given), changed);
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
  const closable = Object.entries(methods).map(([name, method]: [string, (...args: unknown[]) => Promise<unknown>]) => [
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
  return { calls: Object.fromEntries(closable) as T, close };
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

  const checkHistory = (inputs: readonly PreparedRecord[]) => {
    const isPlain = inputs.every((input) => !(input.supersedes ?? input.validFrom ?? input.validUntil));
    if (!parts.capabilities.history && !isPlain) throw new MemoryError('UNSUPPORTED', 'This store has no histories.');
  };

  /** Closes what a record supersedes, unless it did so before. Returns the record to put. */
  const supersede = (input: PreparedRecord, ifVersion: number | undefined): PreparedRecord => {
    const known = before({ ...input, id: input.supersedes });
    if (known === undefined) throw new MemoryError('CONFLICT', 'There is nothing to supersede under this id.');
    const { record } = known;
    parts.expect(ifVersion, record.version);
    if (record.supersededBy === input.id) return input;
    if (record.validUntil !== undefined || before(input) !== undefined) {
      throw new MemoryError('CONFLICT', 'The record is closed already, or its successor has an id that is taken.');
    }
    const since = record.validFrom ?? record.createdAt;
    const given = input.validFrom ?? input.createdAt ?? input.validUntil ?? new Date().toISOString();
    const [, from = given] = [since, given].sort();
    const closed = { ...record, version: record.version + 1, index: false, updatedAt: new Date().toISOString() };
    const end = { supersededBy: input.id as string, validUntil: from };
    records().set(parts.key(record.id), { ...known, record: parts.replace({ ...closed, ...end }, record) });
    return { ...input, validFrom: input.validFrom ?? from };
  };

  const write = (given: PreparedRecord, ifVersion: number | undefined, known: Stored | undefined): MemoryRecord => {
    const input = given.supersedes === undefined ? given : supersede(given, ifVersion);
    if (given.supersedes === undefined) parts.expect(ifVersion, known?.record.version ?? 0);
    if (known?.record.validUntil !== undefined) throw new MemoryError('CONFLICT', 'This record is closed.');
    const key = parts.key(input.id as string);
    if (known === undefined) records().delete(key);
    const record = parts.replace(toRecord(input, known?.record), known?.record);
    records().set(key, { record, sequence: known?.sequence ?? tree.sequence++ });
    return parts.copy(record);
  };

  const readVersions = (
    ifVersions: Readonly<Record<string, number | undefined>> | undefined,
    batch: readonly PreparedRecord[],
  ): Map<string, number> => {
    if (ifVersions === undefined) return new Map();
    expect(typeof ifVersions === 'object' && ifVersions !== null, 'ifVersions must be an object.');
    if (!parts.capabilities.atomicBatch) throw new MemoryError('UNSUPPORTED', 'Batches are not atomic here.');
    const versions = guarded('ifVersions', () => Object.entries(ifVersions)).flatMap(([id, version]) =>
      version === undefined ? [] : [[id, version] as const],
    );
    for (const [id, version] of versions) {
      expectWhole(version, 'ifVersions', 0);
      expect(
        batch.some((record) => record.id === id),
        'ifVersions has an id that no record has.',
      );
    }
    return new Map(versions);
  };

  const prepared = (input: PreparedRecord) => parts.prepare({ ...input, id: input.id ?? uuidv7() });

  const store: Pick<RecordStore, 'put' | 'putMany' | 'add' | 'addMessages' | 'delete' | 'clear'> = {
    async put(input, options = {}) {
      checkWritable();
      const { ifVersion, signal } = parts.expectKnown(options, { ifVersion: true, signal: true });
      if (ifVersion !== undefined) expectWhole(ifVersion, 'ifVersion', 0);
      const one = prepared(prepareRecord(input));
      checkTtl([one]);
      checkHistory([one]);
      const early = before(one);
      await tick();
      throwIfAborted(signal);
      return write(one, ifVersion, parts.gap ? early : before(one));
    },
    async putMany(inputs, options = {}) {
      checkWritable();
      const { ifVersions } = parts.expectKnown(options, { ifVersions: true });
      const many = prepareRecords(inputs).map(prepared);
      checkTtl(many);
      checkHistory(many);
      const versions = readVersions(ifVersions, many);
      await tick();
      const saved = new Map(records());
      try {
        const put = many.map((one) => {
          const ifVersion = versions.get(one.id as string);
          versions.delete(one.id as string);
          return write(one, ifVersion, before(one));
        });
        // Later records may have closed earlier ones.
        return put.map((record) => {
          const stored = records().get(parts.key(record.id))?.record;
          return stored?.validUntil === undefined ? record : parts.copy(stored);
        });
      } catch (error) {
        records().clear();
        for (const [key, stored] of saved) records().set(key, stored);
        throw error;
      }
    },
    async add(content, metadata) {
      checkWritable();
      const one = prepareRecord(metadata === undefined ? { content } : { content, metadata });
      let withId = prepared({ ...one, id: await contentId(content) });
      for (let repeat = 1; before(withId)?.record.validUntil !== undefined; repeat++) {
        withId = prepared({ ...one, id: await contentId(content, repeat) });
      }
      const early = before(withId);
      const known = parts.gap ? early : before(withId);
      if (known !== undefined && same(known.record.metadata, withId.metadata)) return parts.copy(known.record);
      // Long enough for all concurrent calls to have read: their ids are hashed on other threads.
      if (parts.gap) await new Promise((resolve) => setTimeout(resolve, 100));
      return write(withId, undefined, before(withId));
    },
    async addMessages(messages, context) {
      checkWritable();
      const given = parts.expectKnown(context, { sequenceNumbers: true, runId: true, thread: true });
      const get = async (id: string) => records().get(parts.key(id))?.record;
      const putMany: RecordStore['putMany'] = async (inputs) => {
        const known = await Promise.all(inputs.map(({ id }) => get(id as string)));
        const others = await store.putMany(inputs.filter((_, n) => known[n]?.validUntil === undefined));
        return known.map((record) =>
          record?.validUntil === undefined ? (others.shift() as MemoryRecord) : parts.copy(record),
        );
      };
      return recorder.add({ get, putMany }, messages, given);
    },
    async delete(id, options = {}) {
      checkWritable();
      const { ifVersion, alone = false } = parts.expectKnown(options, { ifVersion: true, alone: true });
      if (ifVersion !== undefined) expectWhole(ifVersion, 'ifVersion', 0);
      await tick();
      const known = records().get(parts.key(id));
      if (known === undefined || !parts.alive(known.record, 'delete')) return false;
      if (parts.gap) await tick();
      parts.expect(ifVersion, known.record.version);
      const versions = alone ? [known.record] : versionsOf(records(), known.record, parts);
      for (const one of versions) records().delete(parts.key(one.id));
      return true;
    },
    async clear(options = {}) {
      checkWritable();
      const { descendants = false } = parts.expectKnown(options, { descendants: true });
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

  const checkHistory = () => {
    if (!parts.capabilities.history) throw new MemoryError('UNSUPPORTED', 'This store has no histories.');
  };
  const timeOf = (asOf: string | undefined) => {
    if (asOf !== undefined) checkHistory();
    return prepareRecord({ content: 'x', createdAt: asOf }, 'asOf').createdAt;
  };

  const store: Pick<RecordStore, 'get' | 'history' | 'search' | 'list' | 'namespaces'> = {
    async get(id, options = {}) {
      const asOf = timeOf(parts.expectKnown(options, { asOf: true }).asOf);
      await tick();
      const known = records().get(parts.key(id))?.record;
      if (known === undefined || !parts.alive(known, 'get')) return undefined;
      if (asOf === undefined) return parts.copy(known);
      return parts.copy(versionsOf(records(), known, parts).find((record) => heldAt(record, asOf)));
    },
    async history(id) {
      checkId(id, 'id');
      checkHistory();
      await tick();
      const known = records().get(parts.key(id))?.record;
      if (known === undefined || !parts.alive(known, 'get')) return [];
      return versionsOf(records(), known, parts).map((record) => parts.copy(record));
    },
    async search(query, given = {}) {
      const options = parts.expectKnown(given, SEARCH_FIELDS);
      const limit = searchLimit(identity, options);
      const rules = rulesOf(options.filter);
      await tick(options.signal);
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
    async list(given) {
      checkEnumerate();
      const options = parts.expectKnown(given, LIST_FIELDS);
      const [limit, rules] = [pageLimit(options), rulesOf(options.filter)];
      const { idPrefix = '', history = false } = options;
      const asOf = timeOf(options.asOf);
      if (typeof history !== 'boolean' || (history && asOf !== undefined)) {
        throw new MemoryError('INVALID_ARGUMENT', '`history` must be true or false, and not come with `asOf`.');
      }
      const isListed = (record: MemoryRecord) =>
        history || (asOf === undefined ? record.validUntil === undefined : heldAt(record, asOf));
      if (options.idPrefix !== undefined) checkId(idPrefix, 'idPrefix');
      const last = await readPosition(options);
      const places = placesFor(options);
      await tick(options.signal);
      throwIfAborted(options.signal);
      const alive = places.flatMap((place) => aliveIn(place, 'list')).filter(({ record }) => isListed(record));
      const passing = alive.filter(({ record }) => record.id.startsWith(idPrefix) && parts.passes(rules, record));
      return pageOf(passing, options, last, limit, parts);
    },
    async namespaces(given) {
      checkEnumerate();
      const options = parts.expectKnown<NamespaceListOptions>(given, {
        ...PAGE_OPTIONS,
        empty: true,
        segment: true,
        notBelow: true,
      });
      const { segment, notBelow, empty = false } = options;
      if (segment !== undefined) checkNamespace([segment]);
      if (notBelow !== undefined) checkNamespace(notBelow);
      const limit = pageLimit(options);
      const [last] = readCursor(options.cursor, 'namespaces', ['string']) ?? [];
      await tick();
      return namespacesBelow(tree, namespace, last, { limit, empty, segment, notBelow }, parts);
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

/** The sequence numbers of a tree reveal how much there is in other namespaces. */
const seal = new CursorSeal('reference');

async function readPosition(options: ListOptions | undefined): Promise<Position | undefined> {
  const [key, cursor] = readCursor(options?.cursor, kindOf(options), ['string', 'string']) ?? [];
  const sequence = await seal.read(cursor as string | undefined, 'sequence', []);
  return sequence === undefined ? undefined : [String(key), sequence];
}

async function writePosition(options: ListOptions | undefined, [key, sequence]: Position): Promise<string> {
  return writeCursor(kindOf(options), [key, await seal.write('sequence', [], sequence)]);
}

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

async function pageOf(
  passing: readonly Found[],
  options: ListOptions | undefined,
  last: Position | undefined,
  limit: number,
  parts: Parts,
): Promise<Page<MemoryRecord>> {
  const { order = 'newest', descendants = false } = options ?? {};
  const direction = order === 'oldest' ? 1 : -1;
  const compare = (a: Position, b: Position) => (a[0] === b[0] ? (a[1] - b[1]) * direction : a[0] < b[0] ? -1 : 1);
  const rest = passing
    .map((one) => ({ ...one, position: [one.key, one.sequence] as const }))
    .filter(({ position }) => last === undefined || compare(position, last) > 0)
    .sort((a, b) => compare(a.position, b.position));
  const page = rest.slice(0, limit);
  const items = page.map(({ record, namespace }) => parts.copy(descendants ? { ...record, namespace } : record));
  const end = page.at(-1)?.position;
  return rest.length > limit && end ? { items, cursor: await writePosition(options, end) } : { items };
}

function namespacesBelow(
  tree: Tree,
  namespace: Namespace,
  last: string | number | undefined,
  { limit, empty, segment, notBelow = [] }: NamespaceListOptions,
  parts: Parts,
) {
  const rest = [...tree.places]
    .filter(([, one]) => parts.isBelow(one.namespace, namespace))
    .filter(([, one]) => !one.namespace.slice(namespace.length, -1).some((above) => notBelow.includes(above)))
    .filter(([, one]) => segment === undefined || parts.hasSegment(one.namespace, segment, namespace.length))
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
  const time = new Date(now).toISOString();
  const createdAt = before?.createdAt ?? input.createdAt ?? time;
  const isAhead = createdAt > time;
  return {
    id: input.id as string,
    content: input.content,
    metadata: input.metadata,
    version: before === undefined ? firstVersion() : before.version + 1,
    createdAt,
    updatedAt: isAhead ? createdAt : time,
    ...(input.ttlMs === undefined ? {} : { expiresAt: new Date(now + input.ttlMs).toISOString() }),
    ...(input.turn === undefined ? {} : { turn: input.turn }),
    ...(input.source === undefined ? {} : { source: input.source }),
    ...validityAfter(input, before),
    index: input.index && input.validUntil === undefined,
  };
}

function validityAfter(input: PreparedRecord, before: MemoryRecord | undefined) {
  const { supersededBy, validUntil } = input;
  const { supersedes = before?.supersedes, validFrom = before?.validFrom } = input;
  return {
    ...(supersedes !== undefined && { supersedes }),
    ...(supersededBy !== undefined && { supersededBy }),
    ...(validFrom !== undefined && { validFrom }),
    ...(validUntil !== undefined && { validUntil }),
  };
}

/** All versions of a record, oldest first. */
function versionsOf(records: ReadonlyMap<string, Stored>, record: MemoryRecord, parts: Parts): MemoryRecord[] {
  const next = (at: MemoryRecord, way: 'supersedes' | 'supersededBy', back: 'supersedes' | 'supersededBy') => {
    const found = records.get(parts.key(at[way] ?? ''))?.record;
    return found?.[back] === at.id && parts.alive(found, 'get') ? found : undefined;
  };
  const versions = [record];
  for (let at = next(record, 'supersedes', 'supersededBy'); at; at = next(at, 'supersedes', 'supersededBy')) {
    versions.unshift(at);
  }
  for (let at = next(record, 'supersededBy', 'supersedes'); at; at = next(at, 'supersededBy', 'supersedes')) {
    versions.push(at);
  }
  return versions;
}

function heldAt({ createdAt, validFrom = createdAt, validUntil }: MemoryRecord, asOf: string): boolean {
  return validFrom <= asOf && (validUntil === undefined || asOf < validUntil);
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

/** The next turn of the event loop, or when the signal is aborted. */
function tick(signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
    if (signal?.aborted) resolve();
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}
