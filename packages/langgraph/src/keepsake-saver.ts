import { MemoryError, type RecordStore } from '@keepsake/core';
import { type Check, expect, expectFields, expectWhole } from '@keepsake/core/adapter';
import { allItems, asSegment, fromSegment, isObject, LruMap, quoted } from '@keepsake/internal';
import type { RunnableConfig } from '@langchain/core/runnables';
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  type DeltaChannelHistory,
  maxChannelVersion,
  type PendingWrite,
  type SerializerProtocol,
  TASKS,
} from '@langchain/langgraph-checkpoint';
import { readArgument, readFields, readList } from './arguments/read-argument.ts';
import { checkText, expectPlace, findPlace, readConfig, toConfig } from './checkpoints/config.ts';
import { expectIntact } from './checkpoints/damage.ts';
import { readCheckpoint, readVersions, readWrites } from './checkpoints/read-checkpoint.ts';
import { carriedValue, type StoredCheckpoint, type StoredValue } from './checkpoints/stored-checkpoint.ts';
import { loadData, storeData } from './checkpoints/stored-data.ts';
import { ThreadRecords } from './checkpoints/thread-records.ts';
import { ThreadValues } from './checkpoints/thread-values.ts';
import { type StoredWrite, WriteLog } from './checkpoints/write-log.ts';

/** Options of {@link KeepsakeSaver}. */
export interface KeepsakeSaverOptions {
  /** Where checkpoints are stored. It needs strong consistency, atomic batches and lists: any Keepsake backend but hosted ones. */
  readonly store: RecordStore;
  /**
   * Turns values into bytes and back.
   *
   * @default LangGraph's JSON serializer
   */
  readonly serde?: SerializerProtocol | undefined;
}

/** No label of a LangGraph store has a colon, so a {@link KeepsakeStore} on the same store never shows threads. */
const THREADS = ['langgraph:threads'];

/** Longer values of channels are stored apart from their checkpoint: later checkpoints refer to them, and read only these. */
const MAX_VALUE_LENGTH = 64 * 1024;

/** Longer values of writes are stored apart, so that the next write does not store them again. */
const MAX_WRITE_LENGTH = 8 * 1024;

const LIST: Readonly<Record<keyof CheckpointListOptions, Check>> = {
  limit: 'anything',
  before: 'anything',
  filter: 'anything',
};

/** How many logs of pending writes are kept at hand. */
const LOGS = 64;

/** How many threads are kept open. Opening one can read all of it, as in files. */
const OPEN_THREADS = 64;

/**
 * Stores the checkpoints of LangGraph on any Keepsake backend, so that a graph can pause in one process and resume in
 * another.
 *
 * A checkpoint is stored as a whole or not at all, at any size. Each value of a channel is stored once, with the checkpoint
 * that changed it. Forks never share a value that they did not inherit.
 *
 * @example
 * const store = new FileStore({ directory: '.keepsake', name: 'threads' });
 * const graph = builder.compile({ checkpointer: new KeepsakeSaver({ store }) });
 * await graph.invoke(input, { configurable: { thread_id: 'alice-1' } });
 */
export class KeepsakeSaver extends BaseCheckpointSaver {
  readonly #store: RecordStore;
  readonly #threads = new LruMap<string, ThreadRecords>(OPEN_THREADS);
  readonly #logs = new LruMap<string, WriteLog>(LOGS);

  /** @throws MemoryError `UNSUPPORTED` if the store has no strong consistency, atomic batches or lists. */
  constructor(options: KeepsakeSaverOptions) {
    expectFields(options, '', { store: ['within', 'putMany', 'list'], serde: ['dumpsTyped', 'loadsTyped'] });
    super(options.serde);
    const { store } = options;
    expect(store, '`store` is missing. Pass a store, such as new FileStore({ … }).');
    const { consistency, atomicBatch, enumerate } = store.capabilities;
    if (consistency !== 'strong' || !atomicBatch || !enumerate) {
      const what = 'Checkpoints need a store with strong consistency, atomic batches and lists.';
      throw new MemoryError('UNSUPPORTED', `${what} Use another backend.`);
    }
    this.#store = store.within(THREADS);
  }

  /** The checkpoint that `config` names, or the latest of its thread: the one with the greatest id. */
  async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const place = findPlace(config);
    if (place === undefined) return undefined;
    const { threadId, ns } = place;
    const records = this.#open(threadId);
    const id = place.id ?? (await records.latest(ns))?.id;
    return id === undefined ? undefined : this.#tuple(records, threadId, ns, id);
  }

  /**
   * The checkpoints of a thread, or of all threads, latest first in each thread.
   *
   * `filter` compares fields of the metadata, and `before` and `limit` apply as in LangGraph's own savers.
   */
  async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { threadId: thread, ns, id: only } = readConfig(config);
    const checkedOptions = expectFields(options ?? {}, '', LIST);
    let { limit = Infinity } = checkedOptions;
    if (limit !== Infinity) expectWhole(limit, '`limit`', 0);
    const { id: end } = readConfig(checkedOptions.before, 'before');
    const filter = readFields(checkedOptions.filter ?? {}, 'filter');
    for await (const threadId of thread === undefined ? this.#threadIds() : [thread]) {
      const records = this.#open(threadId);
      for (const key of await latestFirst(records.keys(ns))) {
        if (limit <= 0) return;
        if ((only && key.id !== only) || (end && key.id >= end)) continue;
        const stored = await records.checkpoint(key.ns, key.id);
        if (stored === undefined) continue;
        if (filter.length > 0 && !(await this.#passes(stored, filter))) continue;
        limit--;
        yield await this.#toTuple(records, threadId, stored);
      }
    }
  }

  /** Stores a checkpoint after the one that `config` names. Stores those values that changed, by `newVersions`. */
  async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { threadId, ns, id: parentId } = expectPlace(config);
    const { id, rest, values: channelValues, versions } = readCheckpoint(checkpoint);
    const changed = readVersions(newVersions, 'newVersions');
    const described = Object.fromEntries(readFields(metadata, 'metadata'));
    const records = this.#open(threadId);
    const values = this.#valuesIn(records);
    const carriesValues = channelValues.some(([channel]) => !changed.has(channel));
    const [parent, latest, storedCheckpoint, storedMetadata] = await Promise.all([
      parentId === undefined || !carriesValues ? undefined : records.checkpoint(ns, parentId),
      records.seenLatest(ns),
      storeData(this.serde, { ...rest, channel_values: {} }, 'the checkpoint'),
      storeData(this.serde, described, 'the metadata'),
    ]);
    const entries = await Promise.all(
      channelValues.map(async ([channel, value]): Promise<[string, StoredValue][]> => {
        const isNew = changed.has(channel);
        const version = (isNew ? changed : versions).get(channel);
        const carried = isNew ? undefined : carriedValue(parent, channel, version);
        if (carried !== undefined) return [[channel, carried]];
        // The parent may have been deleted, or copied without this value. A first checkpoint has nothing but what is new.
        if (version === undefined || (!isNew && parentId === undefined)) return [];
        const what = `the value of the channel ${quoted(channel)}`;
        return [[channel, { version, ...(await values.store(value, what, MAX_VALUE_LENGTH)) }]];
      }),
    );
    await records.putCheckpoint(
      {
        ...{ ns, id, checkpoint: storedCheckpoint, metadata: storedMetadata },
        values: Object.fromEntries(entries.flat()),
        ...(parentId === undefined ? {} : { parent: parentId }),
      },
      latest,
    );
    return toConfig(threadId, ns, id);
  }

  /** Stores the writes of a task, all or none. Storing them again changes nothing. */
  async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string, taskPath = ''): Promise<void> {
    const { threadId, ns, id } = expectPlace(config);
    expect(id, 'The config has no `configurable.checkpoint_id`. Pass the config that `put` returned.');
    const checkedWrites = readWrites(writes);
    expect(typeof taskId === 'string', '`taskId` must be a string.');
    expect(typeof taskPath === 'string', '`taskPath` must be a string.');
    if (checkedWrites.length === 0) return;
    const records = this.#open(threadId);
    const values = this.#valuesIn(records);
    const stored = await Promise.all(
      checkedWrites.map(async ({ channel, value, idx }): Promise<StoredWrite> => {
        const what = `the write to the channel ${quoted(channel)}`;
        return { task: taskId, path: taskPath, idx, channel, value: await values.store(value, what, MAX_WRITE_LENGTH) };
      }),
    );
    const key = JSON.stringify([threadId, ns, id]);
    await this.#logs.getOrCreate(key, () => new WriteLog(records, ns, id)).append(stored);
  }

  async deleteThread(threadId: string): Promise<void> {
    checkText(threadId, 'threadId', 256);
    await this.#open(threadId).clear();
  }

  /**
   * The writes of each channel since the nearest ancestor that has its value, and that value. Reads only the values of the
   * channels that are asked for.
   */
  override async getDeltaChannelHistory(options: {
    config: RunnableConfig;
    channels: string[];
  }): Promise<Record<string, DeltaChannelHistory>> {
    const { config, channels } = readDeltaOptions(options);
    const histories = new Map(channels.map((channel): [string, DeltaChannelHistory] => [channel, { writes: [] }]));
    const place = channels.length === 0 ? undefined : findPlace(config);
    if (place === undefined) return Object.fromEntries(histories);
    const { threadId, ns } = place;
    const records = this.#open(threadId);
    const values = this.#valuesIn(records);
    const open = new Set(channels);
    const id = place.id ?? (await records.latest(ns))?.id;
    let next = id === undefined ? undefined : (await records.checkpoint(ns, id))?.parent;
    while (next !== undefined && open.size > 0) {
      const [ancestor, writes] = await Promise.all([
        records.checkpoint(ns, next),
        new WriteLog(records, ns, next).read(),
      ]);
      if (ancestor === undefined) break;
      const wanted = writes.filter(({ channel }) => open.has(channel));
      const loaded = await values.ofWrites(wanted);
      for (const write of loaded.reverse()) histories.get(write[1])?.writes.push(write);
      for (const channel of open) {
        if (!Object.hasOwn(ancestor.values, channel)) continue;
        const history = histories.get(channel) as DeltaChannelHistory;
        history.seed = await values.ofChannel(ancestor, channel);
        open.delete(channel);
      }
      next = ancestor.parent;
    }
    for (const { writes } of histories.values()) writes.reverse();
    return Object.fromEntries(histories);
  }

  async #passes({ metadata }: StoredCheckpoint, filter: MetadataFilter): Promise<boolean> {
    const loaded = await loadData(this.serde, metadata);
    return readArgument('filter', () => matchesMetadata(loaded, filter));
  }

  #open(threadId: string): ThreadRecords {
    return this.#threads.getOrCreate(threadId, () => new ThreadRecords(this.#store, asSegment(threadId)));
  }

  #valuesIn(records: ThreadRecords): ThreadValues {
    return new ThreadValues(records, this.serde);
  }

  async *#threadIds(): AsyncGenerator<string> {
    const depth = this.#store.namespace.length;
    for await (const { namespace } of allItems((page) => this.#store.namespaces(page))) {
      if (namespace.length === depth + 1) yield fromSegment(namespace[depth] as string);
    }
  }

  async #tuple(records: ThreadRecords, threadId: string, ns: string, id: string): Promise<CheckpointTuple | undefined> {
    const log = new WriteLog(records, ns, id).read();
    // The checkpoint may be missing, and then nobody awaits the log.
    log.catch(() => {});
    const stored = await records.checkpoint(ns, id);
    return stored && this.#toTuple(records, threadId, stored, log);
  }

  async #toTuple(
    records: ThreadRecords,
    threadId: string,
    stored: StoredCheckpoint,
    log = new WriteLog(records, stored.ns, stored.id).read(),
  ): Promise<CheckpointTuple> {
    const { ns, id, parent } = stored;
    const [checkpoint, metadata, pendingWrites, values] = await Promise.all([
      loadData(this.serde, stored.checkpoint) as Promise<Checkpoint>,
      loadData(this.serde, stored.metadata) as Promise<CheckpointMetadata>,
      log.then((writes) => this.#valuesIn(records).ofWrites(writes)),
      this.#valuesIn(records).ofCheckpoint(stored),
    ]);
    expectIntact(isObject(checkpoint) && isObject(checkpoint.channel_versions) && isObject(metadata));
    checkpoint.channel_values = values;
    if (checkpoint.v < 4 && parent !== undefined) await this.#addPendingSends(checkpoint, records, ns, parent);
    return {
      ...{ config: toConfig(threadId, ns, id), checkpoint, metadata, pendingWrites },
      ...(parent === undefined ? {} : { parentConfig: toConfig(threadId, ns, parent) }),
    };
  }

  /** Before version 4 of checkpoints, what was sent to the next tasks was only in the writes of the parent. */
  async #addPendingSends(checkpoint: Checkpoint, records: ThreadRecords, ns: string, parent: string): Promise<void> {
    const writes = await new WriteLog(records, ns, parent).read();
    const sends = await this.#valuesIn(records).ofWrites(writes.filter(({ channel }) => channel === TASKS));
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_values[TASKS] = sends.map(([, , value]) => value);
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
  }
}

/** Copies the options of a history, of which later versions of LangGraph may pass more. */
function readDeltaOptions(options: unknown): { readonly config: unknown; readonly channels: readonly string[] } {
  return readArgument('options', () => {
    expect(isObject(options), '`options` must be an object. Pass { config, channels }.');
    const { config, channels } = options;
    return {
      config,
      channels: readList(channels, 'channels', (channel, at) => {
        expect(typeof channel === 'string', `\`${at}\` must be the name of a channel.`);
        return channel;
      }),
    };
  });
}

/** Sorts keys by id, the latest first. */
async function latestFirst<Key extends { readonly ns: string; readonly id: string }>(
  keys: AsyncIterable<Key>,
): Promise<Key[]> {
  const all: Key[] = [];
  for await (const key of keys) all.push(key);
  return all.sort((a, b) => compare(b.id, a.id) || compare(a.ns, b.ns));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The fields that metadata must have, and their values. */
type MetadataFilter = readonly (readonly [field: string, value: unknown])[];

/** Whether each field of a filter is equal to that of a checkpoint's metadata. */
function matchesMetadata(metadata: unknown, filter: MetadataFilter): boolean {
  return filter.every(([field, value]) => isRecord(metadata) && isSame(metadata[field], value));
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isRecord(a) || !isRecord(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const fields = Object.keys(a);
  return (
    fields.length === Object.keys(b).length &&
    fields.every((field) => Object.hasOwn(b, field) && isSame(a[field], b[field]))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
