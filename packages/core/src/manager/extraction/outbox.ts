import { allItems } from '@keepsake/internal';
import { uuidv7 } from '../../common/uuid.ts';
import type { JsonObject } from '../../json/json.ts';
import { unlessConflict } from '../../session/conflict.ts';
import type { MemoryStore } from '../../store/memory-store.ts';
import type { RecordStore } from '../../store/record-store.ts';
import { DeadLetters } from './dead-letters.ts';
import type { Item, Plan } from './plan.ts';
import type { Run, StoredTurn } from './run.ts';

/** The stored progress of a store with a run. */
interface StoreState {
  /** The number up to which the store has committed. */
  readonly committed: number;
  /** What to do next. */
  readonly plan?: Plan | undefined;
}

/** The progress of a store with recovered messages. */
interface Standing {
  /** The version of the state, for {@link Outbox.writeState}. */
  readonly version: number;
  /** The number up to which other processes have saved them. */
  readonly saved?: number;
  /** What another process is doing with them. */
  readonly plan?: Plan | undefined;
}

/** The remains of another process's run. */
export interface Leftover {
  readonly run: string;
  readonly thread: string;
  readonly turns: (StoredTurn & { readonly items: readonly Item[] })[];
  readonly states: Map<string, StoreState>;
}

/** The segment of an outbox below its store. */
export const OUTBOX = 'keepsake-outbox';

/** Characters per record: each takes up to 3 bytes, and a record has at most 1 MiB. */
const PART = 300_000;

/**
 * Observed but unsaved messages, in records that survive the process: the turns of each run and the progress of each store.
 * Uses its own namespace below the given store, and is not searchable.
 */
export class Outbox {
  readonly name: string;
  readonly deadLetters: DeadLetters;
  readonly #store: RecordStore;
  readonly #owner: string;

  /** @param fed - The stores that save these messages. Managers with other stores see only their own messages. */
  constructor(store: RecordStore, fed: readonly (MemoryStore & Partial<Pick<RecordStore, 'namespace'>>)[]) {
    this.name = store.name;
    this.#owner = JSON.stringify(fed.map(({ name, namespace = null }) => [name, namespace]).sort());
    this.#store = store.within([OUTBOX]);
    this.deadLetters = new DeadLetters(store.within([OUTBOX, 'dead-letters']), this.#owner);
  }

  /** Writes items as one turn, in one batch. */
  async writeTurn(run: Run, items: readonly Item[]): Promise<StoredTurn> {
    const json = JSON.stringify(items);
    const [first, last] = [(items[0] as Item).number, (items.at(-1) as Item).number];
    // Each attempt has its own id, because one that timed out may still arrive and must not conflict with the next.
    const turn = { id: `${run.id}/turn/${uuidv7()}`, first, last, parts: Math.ceil(json.length / PART) };
    const { id: turnId, ...fields } = turn;
    await this.#store.putMany(
      partIds(turn).map((id, part) =>
        this.#record(id, json.slice(part * PART, (part + 1) * PART), {
          run: run.id,
          thread: run.thread,
          turnId,
          ...fields,
          part,
        }),
      ),
    );
    return turn;
  }

  /** Whether a turn still exists. It is removed once every store has committed it. */
  async hasTurn(turn: StoredTurn): Promise<boolean> {
    return (await this.#store.get(partIds(turn)[0] as string)) !== undefined;
  }

  /** Removes a turn, its first part first, because that identifies it. */
  async removeTurn(turn: StoredTurn): Promise<void> {
    for (const id of partIds(turn)) await this.#store.delete(id);
  }

  /** The states that processes sharing the outbox stored for a store and a run, from the message `first` on. */
  async standing(run: Run, store: string, first: number): Promise<Standing> {
    const { committed = -1, plan, version = 0 } = (await this.#readState(run, store)) ?? {};
    if (committed >= first) return { version, saved: committed };
    const turn = run.turnAt(first);
    if (turn !== undefined && !(await this.hasTurn(turn))) return { version, saved: turn.last };
    if (plan === undefined || plan.last < first) return { version };
    // A state without its turn came too late: its process ended before it could remove it.
    const planned = run.turnAt(plan.first);
    const holds = planned !== undefined && (planned === turn || (await this.hasTurn(planned)));
    return holds ? { version, plan } : { version };
  }

  /** Writes a state if it still has the version `ifVersion`. Returns whether it did. */
  async writeState(run: Run, store: string, state: StoreState, ifVersion: number): Promise<boolean> {
    const input = this.#record(stateId(run.id, store), JSON.stringify(state), { run: run.id, store });
    return unlessConflict(this.#store.put(input, { ifVersion }));
  }

  /** Writes a state unless the stored one is as far: another process may have been faster. */
  async advance(run: Run, store: string, state: StoreState): Promise<void> {
    const { committed = -1, plan, version = 0 } = (await this.#readState(run, store)) ?? {};
    const isNews = committed < state.committed || (!plan && state.plan && committed < state.plan.last);
    if (isNews && !(await this.writeState(run, store, state, version))) await this.advance(run, store, state);
  }

  /** Removes a state, unless it is about messages after `newest`, which belong to another process. */
  async removeState(run: Run, store: string, newest: number): Promise<void> {
    const state = await this.#readState(run, store);
    if (state === undefined || Math.max(state.committed, state.plan?.last ?? -1) > newest) return;
    await unlessConflict(this.#store.delete(stateId(run.id, store), { ifVersion: state.version }));
  }

  async #readState(run: Run, store: string): Promise<(StoreState & { readonly version: number }) | undefined> {
    const record = await this.#store.get(stateId(run.id, store));
    return record && { ...(JSON.parse(record.content.slice(1)) as StoreState), version: record.version };
  }

  /**
   * Everything in the outbox for the same stores, by run. Removes states of runs without turns, whose process ended during
   * cleanup.
   */
  async leftovers(): Promise<Leftover[]> {
    const entries = await this.#records();
    const runs = new Map<string, Leftover>();
    for (const { run, thread, turnId, first, last, parts, text } of joined(entries)) {
      const left = runs.get(run) ?? { run, thread, turns: [], states: new Map<string, StoreState>() };
      runs.set(run, left);
      left.turns.push({ id: turnId, first, last, parts, items: JSON.parse(text) as Item[] });
    }
    for (const { run, store, text, id, version } of entries) {
      if (store === undefined) continue;
      const left = runs.get(run);
      if (left !== undefined) left.states.set(store, JSON.parse(text) as StoreState);
      else await unlessConflict(this.#store.delete(id, { ifVersion: version }));
    }
    return [...runs.values()];
  }

  /** Begins with a dot, because a piece of a long text may be blank, which a record can't be. */
  #record(id: string, text: string, fields: JsonObject) {
    return { id, content: `.${text}`, metadata: { owner: this.#owner, ...fields }, index: false };
  }

  /** All records, oldest first: the turns of a run in order, each before its states. */
  async #records(): Promise<OutboxEntry[]> {
    const entries: OutboxEntry[] = [];
    for await (const record of allItems((page) => this.#store.list({ ...page, order: 'oldest' }))) {
      const { id, version, content, metadata } = record;
      const fields = metadata as unknown as Fields;
      if (fields.owner === this.#owner) entries.push({ id, version, text: content.slice(1), ...fields });
    }
    return entries;
  }
}

/** The complete turns among records. One with missing parts was never acknowledged or is being removed. */
function joined(entries: readonly OutboxEntry[]): OutboxEntry[] {
  const texts = new Map<string, string[]>();
  return entries.flatMap((entry) => {
    if (entry.store !== undefined) return [];
    const parts = texts.get(entry.turnId) ?? [];
    texts.set(entry.turnId, parts);
    parts[entry.part] = entry.text;
    return Object.keys(parts).length === entry.parts ? [{ ...entry, text: parts.join('') }] : [];
  });
}

interface Fields {
  /** The stores of an entry, by name and namespace. */
  readonly owner: string;
  readonly run: string;
  readonly thread: string;
  readonly store?: string;
  readonly turnId: string;
  readonly part: number;
  readonly parts: number;
  readonly first: number;
  readonly last: number;
}

interface OutboxEntry extends Fields {
  readonly id: string;
  readonly version: number;
  readonly text: string;
}

function partIds({ id, parts }: StoredTurn): string[] {
  return Array.from({ length: parts }, (_, part) => `${id}/${part}`);
}

function stateId(run: string, store: string): string {
  return `${run}/store/${store}`;
}
