import assert from 'node:assert/strict';
import type { RecordStore } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';
import type { RecordedCall, SequentialModel } from './linearizable.ts';
import { type Client, outcomeOf } from './record-history.ts';

/** A call of a record store. */
export type RecordCall =
  | { readonly kind: 'put'; readonly id: string; readonly content: string; readonly ifVersion?: number }
  | { readonly kind: 'put many'; readonly ids: readonly string[]; readonly content: string }
  | { readonly kind: 'get'; readonly id: string }
  | { readonly kind: 'delete'; readonly id: string; readonly ifVersion?: number }
  | { readonly kind: 'clear' }
  | { readonly kind: 'list' }
  | { readonly kind: 'search'; readonly word: string }
  /** What a search tells of one record. */
  | { readonly kind: 'search for'; readonly word: string; readonly id: string };

interface Known {
  readonly content: string;
  /** `undefined` after a put whose result nobody saw, because stores choose the first version. */
  readonly version: number | undefined;
}
type Records = Readonly<Record<string, Known>>;

/** The ids of all records. */
export const IDS: readonly string[] = ['a', 'b', 'c'];

/** A register for each record. A list sees all of them at one moment. */
export const recordModel: SequentialModel<Records, RecordCall> = {
  initial: {},
  key: showRecords,
  apply(before, call, observed) {
    const state = withVersionsIn(observed, call, before);
    switch (call.kind) {
      case 'put': {
        if (isConflict(state[call.id], call, observed)) return { state, outcome: 'CONFLICT' };
        const record = withVersion(state[call.id], call.ifVersion);
        const version = nextVersion(record, observed);
        return { state: { ...state, [call.id]: { content: call.content, version } }, outcome: `${version}` };
      }
      case 'put many': {
        const versions = observed?.split(',');
        const put = call.ids.map((id, n) => nextVersion(state[id], versions?.[n]));
        const after = call.ids.map((id, n) => [id, { content: call.content, version: put[n] }] as const);
        return { state: { ...state, ...Object.fromEntries(after) }, outcome: put.join() };
      }
      case 'get':
        return { state, outcome: show(state[call.id]) };
      case 'delete': {
        const { [call.id]: record, ...others } = state;
        if (record === undefined) return { state, outcome: 'false' };
        if (isConflict(record, call, observed)) return { state, outcome: 'CONFLICT' };
        return { state: others, outcome: 'true' };
      }
      case 'clear':
        return { state: {}, outcome: `${Object.keys(state).length}` };
      case 'list':
        return { state, outcome: showRecords(state) };
      case 'search':
        return { state, outcome: showFound(state, call.word) };
      case 'search for':
        return { state, outcome: showFound(state[call.id] ? { [call.id]: state[call.id] as Known } : {}, call.word) };
    }
  },
};

/** Whether a call requires another version. If the version is unknown, the result of the call tells. */
function isConflict(
  record: Known | undefined,
  { ifVersion }: { readonly ifVersion?: number },
  observed: string | undefined,
): boolean {
  if (ifVersion === undefined) return false;
  if (record === undefined || record.version !== undefined) return ifVersion !== (record?.version ?? 0);
  return ifVersion === 0 || observed === 'CONFLICT';
}

function withVersion(record: Known | undefined, version: number | undefined): Known | undefined {
  return record && { ...record, version: record.version ?? version };
}

/** The version after a put: for a new record, or after an unknown version, that which the store returned, if it can be. */
function nextVersion(record: Known | undefined, observed: string | undefined): number | undefined {
  if (record?.version !== undefined) return record.version + 1;
  const version = Number(observed ?? Number.NaN);
  const isPossible = record === undefined ? putCount(version) === 1 : putCount(version) > 1;
  return isPossible ? version : undefined;
}

/** The records, with the versions that a read has shown of those whose version was unknown. */
function withVersionsIn(observed: string | undefined, call: RecordCall, records: Records): Records {
  if (observed === undefined || (call.kind !== 'get' && call.kind !== 'list')) return records;
  const shown = call.kind === 'get' ? [`${call.id}: ${observed}`] : observed.split(',');
  const resolved = Object.entries(records).map(([id, record]) => {
    const prefix = `${id}: ${record.content} v`;
    const version = shown.find((text) => text.startsWith(prefix))?.slice(prefix.length);
    return [id, withVersion(record, version === undefined ? undefined : Number(version))] as const;
  });
  return Object.fromEntries(resolved) as Records;
}

/** Fails if puts of one record, or of records that had the same id one after the other, returned the same version. */
export function checkVersions(history: readonly RecordedCall<RecordCall>[]): void {
  const returned = history.flatMap(({ call, outcome }) => {
    if (outcome === undefined || (call.kind !== 'put' && call.kind !== 'put many')) return [];
    const ids = call.kind === 'put' ? [call.id] : call.ids;
    return outcome.split(',').flatMap((version, n) => (/^\d+$/.test(version) ? [`${ids[n]} v${version}`] : []));
  });
  const repeated = returned.filter((one, n) => returned.indexOf(one) !== n);
  assert.deepEqual(repeated, [], 'No version comes again for an id');
}

function show(record: Known | undefined): string {
  return record === undefined ? 'nothing' : `${record.content} v${record.version}`;
}

function showRecords(records: Records): string {
  const ids = Object.keys(records).sort();
  return ids.map((id) => `${id}: ${show(records[id])}`).join();
}

/** The records whose content has a word. A search tells no versions. */
function showFound(records: Readonly<Record<string, { readonly content: string }>>, word: string): string {
  const matches = Object.entries(records).filter(([, { content }]) => content.includes(word));
  return matches
    .map(([id, { content }]) => `${id}: ${content}`)
    .sort()
    .join();
}

/** Performs calls on an instance of a store. */
export function recordClient(store: RecordStore): Client<RecordCall> {
  return { perform: (call) => outcomeOf(() => perform(store, call)) };
}

async function perform(store: RecordStore, call: RecordCall): Promise<string> {
  switch (call.kind) {
    case 'put': {
      const { id, content, ifVersion } = call;
      return `${(await store.put({ id, content }, { ifVersion })).version}`;
    }
    case 'put many': {
      const records = await store.putMany(call.ids.map((id) => ({ id, content: call.content })));
      return records.map(({ version }) => version).join();
    }
    case 'get':
      return show(await store.get(call.id));
    case 'delete':
      return `${await store.delete(call.id, { ifVersion: call.ifVersion })}`;
    case 'clear':
      return `${await store.clear()}`;
    case 'list': {
      const { items } = await store.list();
      return showRecords(Object.fromEntries(items.map(({ id, content, version }) => [id, { content, version }])));
    }
    case 'search': {
      const entries = await store.search(call.word, { maxSearchResults: 100 });
      return showFound(Object.fromEntries(entries.map((entry) => [entry.id ?? '', entry])), '');
    }
    case 'search for':
      throw new TypeError('Only histories contain these calls.');
  }
}

/**
 * The history with each search as one call for each record: a search sees each record at a moment of its own, and may miss one
 * that changes while it runs.
 */
export function withSearchesSplit(history: readonly RecordedCall<RecordCall>[]): RecordedCall<RecordCall>[] {
  return history.flatMap((one): RecordedCall<RecordCall>[] => {
    const { call, outcome, start, end } = one;
    if (call.kind !== 'search' || outcome === undefined) return [one];
    const entriesById = new Map(outcome.split(',').map((entry) => [entry.split(':')[0] ?? '', entry]));
    const changes = history.filter((other) => other.start < end && other.end > start);
    // A fraction keeps the calls apart that come from one.
    return IDS.map((id, index) => ({
      ...one,
      call: { kind: 'search for' as const, word: call.word, id },
      outcome: entriesById.get(id) ?? '',
      start: start + index / IDS.length,
    })).filter(({ call: { id }, outcome }) => outcome !== '' || !changes.some((other) => canChange(other.call, id)));
  });
}

function canChange(call: RecordCall, id: string): boolean {
  if (call.kind === 'clear') return true;
  if (call.kind === 'put many') return call.ids.includes(id);
  return (call.kind === 'put' || call.kind === 'delete') && call.id === id;
}
