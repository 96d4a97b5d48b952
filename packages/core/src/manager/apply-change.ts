import { unlessConflict } from '../conflict.ts';
import { sha256 } from '../digest.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { MemoryStore } from '../memory-store.ts';
import { contentId } from '../message-records.ts';
import type { MemoryRecord, RecordInput, RecordStore } from '../record-store.ts';
import type { PlannedChange } from './run.ts';
import { within } from './within.ts';

/** Where changes come from: it goes into the metadata of what they write. */
export interface Provenance {
  readonly run: string;
  readonly thread: string;
  /** The numbers of the first and the last message. */
  readonly numbers: readonly [number, number];
}

type Revisable = MemoryStore & Pick<RecordStore, 'get' | 'put' | 'delete'>;

/** Whether the records of a store can be changed one by one. */
export function canRevise(store: MemoryStore): store is Revisable {
  const { get, put, delete: remove } = store as Partial<RecordStore>;
  return [get, put, remove].every((method) => typeof method === 'function');
}

/** How many keys of changes a record remembers. */
const MAX_KEYS = 32;

/** A change on its way: what it is known by, and the signal that ends the way. */
interface Write {
  readonly store: Revisable;
  readonly from: Provenance;
  readonly key: string;
  readonly signal: AbortSignal;
}

/**
 * Makes the change number `index` of those that come from somewhere. Made again, it changes nothing: each record
 * remembers the keys of the changes that made it what it is, under `sourceKeys`.
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
    if (change.kind === 'add') return add(write, change.content);
    // Somebody else may have changed it after it was read.
    if (!(await unlessConflict(revise(write, change)))) await revise(write, change);
    return;
  }
  if (change.kind === 'add') await within(signal, () => store.add?.(change.content, metadataOf({ from, key })));
}

async function add(write: Write, content: string): Promise<void> {
  const { store, key, signal } = write;
  const known = await within(signal, async () => store.get(await contentId(content)));
  if (known === undefined) {
    await within(signal, () => store.add?.(content, metadataOf(write)));
    return;
  }
  if (keysOf(known).includes(key) || known.content === content) return;
  // What once said this was updated and says something else now: this is another memory.
  const id = `content-${await sha256(JSON.stringify([content, key]))}`;
  const input = { id, content, metadata: metadataOf(write) };
  await unlessConflict(within(signal, () => store.put(input, { ifVersion: 0, signal })));
}

type Revision = Exclude<PlannedChange, { kind: 'add' }>;

async function revise(write: Write, change: Revision): Promise<void> {
  const { store, key, signal } = write;
  const known = await within(signal, () => store.get(change.id));
  if (known === undefined) return change.kind === 'update' ? add(write, change.content) : undefined;
  if (keysOf(known).includes(key)) return;
  const ifVersion = known.version;
  if (change.kind === 'delete') {
    // What somebody has rewritten meanwhile is not what was to go.
    if (known.content === change.was) await within(signal, () => store.delete(change.id, { ifVersion }));
  } else if (known.content !== change.content) {
    await within(signal, () => store.put(replacement(known, change.content, write), { ifVersion, signal }));
  }
}

/** What takes a record's place; all that it doesn't replace stays. */
function replacement(known: MemoryRecord, content: string, write: Write): RecordInput {
  const { id, turn, expiresAt } = known;
  return {
    id,
    content,
    metadata: metadataOf(write, known),
    ...(turn === undefined ? {} : { turn }),
    ...(expiresAt === undefined ? {} : { ttlMs: Math.max(1, Date.parse(expiresAt) - Date.now()) }),
  };
}

function metadataOf({ from, key }: Pick<Write, 'from' | 'key'>, known?: MemoryRecord): JsonObject {
  return {
    ...known?.metadata,
    sourceThread: from.thread,
    sourceRun: from.run,
    // Two fields: some backends keep no lists of numbers.
    sourceFirst: from.numbers[0],
    sourceLast: from.numbers[1],
    sourceKeys: [...keysOf(known), key].slice(-MAX_KEYS),
  };
}

function keysOf(record: MemoryRecord | undefined): JsonValue[] {
  const keys = record?.metadata.sourceKeys;
  return Array.isArray(keys) ? keys : [];
}
