import type { RecordStore } from '@keepsake/core';
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
  readonly version: number;
}
type Records = Readonly<Record<string, Known>>;

/** The ids of all records. */
export const IDS: readonly string[] = ['a', 'b', 'c'];

/** A register for each record. A list sees all of them at one moment. */
export const recordModel: SequentialModel<Records, RecordCall> = {
  initial: {},
  key: showRecords,
  apply(state, call) {
    switch (call.kind) {
      case 'put': {
        const version = state[call.id]?.version ?? 0;
        if (call.ifVersion !== undefined && call.ifVersion !== version) return { state, outcome: 'CONFLICT' };
        return { state: put(state, call.id, call.content), outcome: `${version + 1}` };
      }
      case 'put many': {
        const after = call.ids.reduce((records, id) => put(records, id, call.content), state);
        return { state: after, outcome: call.ids.map((id) => after[id]?.version).join() };
      }
      case 'get':
        return { state, outcome: show(state[call.id]) };
      case 'delete': {
        const { [call.id]: known, ...others } = state;
        if (known === undefined) return { state, outcome: 'false' };
        if (call.ifVersion !== undefined && call.ifVersion !== known.version) return { state, outcome: 'CONFLICT' };
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

function put(records: Records, id: string, content: string): Records {
  return { ...records, [id]: { content, version: (records[id]?.version ?? 0) + 1 } };
}

function show(known: Known | undefined): string {
  return known === undefined ? 'nothing' : `${known.content} v${known.version}`;
}

function showRecords(records: Records): string {
  const ids = Object.keys(records).sort();
  return ids.map((id) => `${id}: ${show(records[id])}`).join();
}

/** The records whose content has a word. A search tells no versions. */
function showFound(records: Readonly<Record<string, { readonly content: string }>>, word: string): string {
  const found = Object.entries(records).filter(([, { content }]) => content.includes(word));
  return found
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
    const found = new Map(outcome.split(',').map((entry) => [entry.split(':')[0] ?? '', entry]));
    const changes = history.filter((other) => other.start < end && other.end > start);
    // A fraction keeps the calls apart that come from one.
    return IDS.map((id, index) => ({
      ...one,
      call: { kind: 'search for' as const, word: call.word, id },
      outcome: found.get(id) ?? '',
      start: start + index / IDS.length,
    })).filter(({ call: { id }, outcome }) => outcome !== '' || !changes.some((other) => canChange(other.call, id)));
  });
}

function canChange(call: RecordCall, id: string): boolean {
  if (call.kind === 'clear') return true;
  if (call.kind === 'put many') return call.ids.includes(id);
  return (call.kind === 'put' || call.kind === 'delete') && call.id === id;
}
