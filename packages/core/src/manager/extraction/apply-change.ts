import { untilAborted } from '@keepsake/internal';
import { sha256 } from '../../crypto/digest.ts';
import type { JsonObject, JsonValue } from '../../json/json.ts';
import { unlessConflict } from '../../session/conflict.ts';
import type { MemoryStore } from '../../store/memory-store.ts';
import { contentId } from '../../store/message-records.ts';
import type { MemoryRecord, RecordInput, RecordStore } from '../../store/record-store.ts';
import type { PlannedChange } from './run.ts';

/** The origin of changes, stored in the metadata of the records they write. */
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

/** The number of change keys that a record remembers. */
const MAX_KEYS = 32;

/** A change in progress, with its key and its signal. */
interface Write {
  readonly store: Revisable;
  readonly from: Provenance;
  readonly key: string;
  readonly signal: AbortSignal;
}

/** Applies change number `index` of an origin. Idempotent: each record stores the keys of its changes under `sourceKeys`. */
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
    // Another writer may have changed it after it was read.
    if (!(await unlessConflict(revise(write, change)))) await revise(write, change);
    return;
  }
  if (change.kind === 'add')
    await untilAborted(signal, () => store.add?.(change.content, metadataOf({ from, key }, change)));
}

async function add(write: Write, change: Told): Promise<void> {
  const { store, key, signal } = write;
  const { content } = change;
  const known = await untilAborted(signal, async () => store.get(await contentId(content)));
  if (known === undefined) {
    await untilAborted(signal, () => store.add?.(content, metadataOf(write, change)));
    return;
  }
  if (keysOf(known).includes(key) || known.content === content) return;
  // The record with this id was updated and says something else now, so this is a new memory.
  const id = `content-${await sha256(JSON.stringify([content, key]))}`;
  const input = { id, content, metadata: metadataOf(write, change) };
  await unlessConflict(untilAborted(signal, () => store.put(input, { ifVersion: 0, signal })));
}

/** The new content of a memory. */
type Told = Exclude<PlannedChange, { kind: 'delete' }>;
type Revision = Exclude<PlannedChange, { kind: 'add' }>;

async function revise(write: Write, change: Revision): Promise<void> {
  const { store, key, signal } = write;
  const known = await untilAborted(signal, () => store.get(change.id));
  if (known === undefined) return change.kind === 'update' ? add(write, change) : undefined;
  if (keysOf(known).includes(key)) return;
  const ifVersion = known.version;
  if (change.kind === 'delete') {
    // A record that was rewritten in the meantime must not be deleted.
    if (known.content === change.was) await untilAborted(signal, () => store.delete(change.id, { ifVersion }));
  } else if (known.content !== change.content) {
    await untilAborted(signal, () => store.put(replacement(known, change, write), { ifVersion, signal }));
  }
}

/** The replacement of a record. Keeps all fields that it does not replace. */
function replacement(known: MemoryRecord, change: Told, write: Write): RecordInput {
  const { id, turn, expiresAt } = known;
  return {
    id,
    content: change.content,
    metadata: metadataOf(write, change, known),
    ...(turn === undefined ? {} : { turn }),
    ...(expiresAt === undefined ? {} : { ttlMs: Math.max(1, Date.parse(expiresAt) - Date.now()) }),
  };
}

function metadataOf({ from, key }: Pick<Write, 'from' | 'key'>, { metadata }: Told, known?: MemoryRecord): JsonObject {
  return {
    ...known?.metadata,
    ...metadata,
    sourceThread: from.thread,
    sourceRun: from.run,
    // Two fields, because some backends can't store lists of numbers.
    sourceFirst: from.numbers[0],
    sourceLast: from.numbers[1],
    sourceKeys: [...keysOf(known), key].slice(-MAX_KEYS),
  };
}

function keysOf(record: MemoryRecord | undefined): JsonValue[] {
  const keys = record?.metadata.sourceKeys;
  return Array.isArray(keys) ? keys : [];
}
