import { sha256, untilAborted } from '@keepsake/internal';
import type { JsonObject, JsonValue } from '../../json/json.ts';
import { unlessConflict } from '../../session/conflict.ts';
import type { MemoryStore } from '../../store/memory-store.ts';
import { contentId } from '../../store/message-records.ts';
import type { RecordSource } from '../../store/record-source.ts';
import type { MemoryRecord, RecordInput, RecordStore } from '../../store/record-store.ts';
import type { PlannedChange } from './plan.ts';

/** The origin of changes, stored in the source and the metadata of the records they write. */
export interface Provenance {
  readonly run: string;
  readonly thread: string;
  /** The numbers of the first and the last message. */
  readonly numbers: readonly [number, number];
}

type Revisable = MemoryStore & Pick<RecordStore, 'get' | 'put' | 'delete'>;

/** Whether the store's records can be changed individually. */
export function canRevise(store: MemoryStore): store is Revisable {
  const { get, put, delete: remove } = store as Partial<RecordStore>;
  return [get, put, remove].every((method) => typeof method === 'function');
}

/** Whether the store keeps histories: what changes is superseded, and what is no longer so is closed. */
function keepsHistory(store: Revisable): store is Revisable & Pick<RecordStore, 'history'> {
  return (store as Partial<RecordStore>).capabilities?.history === true;
}

/** The number of change keys that a record remembers. */
const MAX_KEYS = 32;

/** A change in progress, with its key and its signal. */
interface Write {
  readonly store: Revisable;
  readonly from: Provenance;
  readonly key: string;
  readonly signal: AbortSignal;
}

/**
 * Applies change number `index` of an origin. Idempotent where records can be changed individually: each stores the keys of
 * its changes under `sourceKeys`. A store that can only add must recognize a text that is added again.
 */
export async function applyChange(
  store: MemoryStore,
  change: PlannedChange,
  from: Provenance,
  index: number,
  signal: AbortSignal,
): Promise<void> {
  const key = `${from.run}/${from.numbers.join('-')}/${index}`;
  if (canRevise(store)) {
    const write: Write = { store, from, key, signal };
    if (change.kind === 'add') return add(write, change);
    const apply = keepsHistory(store) ? () => supersede({ ...write, store }, change) : () => revise(write, change);
    // Another writer may have changed it after it was read.
    if (!(await unlessConflict(apply()))) await apply();
    return;
  }
  if (change.kind === 'add') await untilAborted(signal, () => store.add?.(change.content, metadataOf(from, change)));
}

async function add(write: Write, change: Told): Promise<void> {
  const { store, key, signal } = write;
  const { content } = change;
  const told = { content, metadata: keyedMetadataOf(write, change), source: sourceOf(write, change) };
  // If another writer is first, it says the same.
  const create = (id: string) =>
    unlessConflict(untilAborted(signal, () => store.put({ id, ...told }, { ifVersion: 0, signal })));
  let record: MemoryRecord | undefined;
  for (let repeat = 0; ; repeat++) {
    const id = await contentId(content, repeat);
    record = await untilAborted(signal, () => store.get(id));
    if (record === undefined) {
      await create(id);
      return;
    }
    if (keysOf(record).includes(key)) return;
    // A memory that was closed, and is told again.
    if (record.validUntil === undefined) break;
  }
  if (record.content === content) return;
  // The record with this id was updated and says something else now, so this is a new memory.
  await create(await idOfChange(content, key));
}

/** The id of the record that a change makes: the same when the change is retried. */
async function idOfChange(content: string, key: string): Promise<string> {
  return `content-${await sha256(JSON.stringify([content, key]))}`;
}

/** The new content of a memory. */
type Told = Exclude<PlannedChange, { kind: 'delete' }>;
type Revision = Exclude<PlannedChange, { kind: 'add' }>;

async function revise(write: Write, change: Revision): Promise<void> {
  const { store, key, signal } = write;
  const record = await untilAborted(signal, () => store.get(change.id));
  if (record === undefined) return change.kind === 'update' ? add(write, change) : undefined;
  if (keysOf(record).includes(key)) return;
  const ifVersion = record.version;
  if (change.kind === 'delete') {
    // A record that was rewritten in the meantime must not be deleted.
    if (record.content === change.was) await untilAborted(signal, () => store.delete(change.id, { ifVersion }));
  } else if (record.content !== change.content) {
    await untilAborted(signal, () => store.put(replacement(record, change, write), { ifVersion, signal }));
  }
}

/** Puts a successor of a memory, or closes it. */
async function supersede(
  write: Write & { readonly store: Pick<RecordStore, 'history'> },
  change: Revision,
): Promise<void> {
  const { store, key, signal } = write;
  const versions = await untilAborted(signal, () => store.history(change.id));
  if (versions.some((version) => keysOf(version).includes(key))) return;
  const record = versions.at(-1);
  if (record === undefined || record.validUntil !== undefined) {
    return change.kind === 'update' ? add(write, change) : undefined;
  }
  const options = { ifVersion: record.version, signal };
  if (change.kind === 'delete') {
    // A memory that says something else by now must not be closed.
    if (record.content !== change.was) return;
    const { content, metadata, source } = record;
    const validUntil = new Date().toISOString();
    const closed = { ...keptFields(record), content, metadata, source, validUntil };
    await untilAborted(signal, () => store.put(closed, options));
  } else if (record.content !== change.content) {
    const id = await idOfChange(change.content, key);
    const successor = { ...replacement(record, change, write), id, supersedes: record.id };
    await untilAborted(signal, () => store.put(successor, options));
  }
}

/** The replacement of a record. Keeps all fields that it does not replace. */
function replacement(record: MemoryRecord, change: Told, write: Write): RecordInput {
  const metadata = keyedMetadataOf(write, change, record);
  return { ...keptFields(record), content: change.content, metadata, source: sourceOf(write, change) };
}

function sourceOf({ from }: Pick<Write, 'from'>, { speaker }: Told): RecordSource {
  return { conversation: from.thread, run: from.run, ...(speaker && { speaker }), kind: 'fact' };
}

function keptFields({ id, turn, expiresAt }: MemoryRecord): Pick<RecordInput, 'id' | 'turn' | 'ttlMs'> {
  return {
    id,
    ...(turn === undefined ? {} : { turn }),
    ...(expiresAt === undefined ? {} : { ttlMs: Math.max(1, Date.parse(expiresAt) - Date.now()) }),
  };
}

/** The metadata of a change. No lists and no objects, because some services can't store them. */
function metadataOf(from: Provenance, { metadata }: Told): JsonObject {
  return {
    ...metadata,
    sourceThread: from.thread,
    sourceRun: from.run,
    sourceFirst: from.numbers[0],
    sourceLast: from.numbers[1],
  };
}

/** The metadata of a record that can be changed again, with the keys of its changes. */
function keyedMetadataOf({ from, key }: Write, change: Told, record?: MemoryRecord): JsonObject {
  return { ...record?.metadata, ...metadataOf(from, change), sourceKeys: [...keysOf(record), key].slice(-MAX_KEYS) };
}

function keysOf(record: MemoryRecord | undefined): JsonValue[] {
  const keys = record?.metadata.sourceKeys;
  return Array.isArray(keys) ? keys : [];
}
