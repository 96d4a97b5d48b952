import { unlessConflict } from '../conflict.ts';
import type { JsonObject } from '../json.ts';
import type { MemoryStore } from '../memory-store.ts';
import type { ListOptions, RecordStore } from '../record-store.ts';
import { uuidv7 } from '../uuid.ts';
import type { Item, Plan, Run, StoredTurn } from './run.ts';

/** How far a store is with a run, as the outbox has it. */
interface StoreState {
  /** The number up to which the store has committed. */
  readonly committed: number;
  /** What it is to apply next. */
  readonly plan?: Plan | undefined;
}

/** Where a store stands with messages that are to be saved. */
interface Standing {
  /** Of the state, for {@link Outbox.writeState}. */
  readonly version: number;
  /** Up to where others have saved them. */
  readonly saved?: number;
  /** What others have the store apply next. */
  readonly plan?: Plan | undefined;
}

/** What a process left behind of a run. */
export interface Leftover {
  readonly run: string;
  readonly thread: string;
  readonly turns: (StoredTurn & { readonly items: readonly Item[] })[];
  readonly committed: Map<string, number>;
}

/** Characters a record: each takes up to 3 bytes, and a record holds up to 1 MiB. */
const PART = 300_000;

/**
 * What was observed and is not yet saved, in records that outlive the process: the turns of each run, and how far each
 * store is. It has a namespace of its own below the store that it is given, and is not searched.
 */
export class Outbox {
  readonly name: string;
  readonly #store: RecordStore;
  readonly #owner: string;

  /** @param fed - The stores that are to save what lies here. What lies there for others, their managers see alone. */
  constructor(store: RecordStore, fed: readonly (MemoryStore & Partial<Pick<RecordStore, 'namespace'>>)[]) {
    this.name = store.name;
    this.#owner = JSON.stringify(fed.map(({ name, namespace = null }) => [name, namespace]).sort());
    this.#store = store.within(['keepsake-outbox']);
  }

  /** Writes items as one turn, in one batch. */
  async writeTurn(run: Run, items: readonly Item[]): Promise<StoredTurn> {
    const json = JSON.stringify(items);
    const [first, last] = [(items[0] as Item).number, (items.at(-1) as Item).number];
    // Each attempt has an id of its own: one that is given up may come yet, and must not get in the way of the next.
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

  /** Whether a turn is still there: it goes when every store has committed it. */
  async hasTurn(turn: StoredTurn): Promise<boolean> {
    return (await this.#store.get(partIds(turn)[0] as string)) !== undefined;
  }

  /** Removes a turn. Its first part goes first, by which it is known. */
  async removeTurn(turn: StoredTurn): Promise<void> {
    for (const id of partIds(turn)) await this.#store.delete(id);
  }

  /** What processes that share the outbox have made for a store of a run from the message `first` on. */
  async standing(run: Run, store: string, first: number): Promise<Standing> {
    const state = await this.#readState(run, store);
    const { committed = -1, plan, version = 0 } = state ?? {};
    if (committed >= first) return { version, saved: committed };
    const turn = run.turnAt(first);
    if (turn !== undefined && !(await this.hasTurn(turn))) return { version, saved: turn.last };
    if (plan === undefined || plan.last < first) return { version };
    // One of which the turn has gone came too late: whoever made it ended before it knew.
    const planned = run.turnAt(plan.first);
    const holds = planned !== undefined && (planned === turn || (await this.hasTurn(planned)));
    return holds ? { version, plan } : { version };
  }

  /** Writes a state, and says whether it did: not where it was changed since it had the version `ifVersion`. */
  async writeState(run: Run, store: string, state: StoreState, ifVersion: number): Promise<boolean> {
    const input = this.#record(stateId(run.id, store), JSON.stringify(state), { run: run.id, store });
    return unlessConflict(this.#store.put(input, { ifVersion }));
  }

  /** Writes a state unless what stands here is as far: another process may have been faster. */
  async advance(run: Run, store: string, state: StoreState): Promise<void> {
    const known = await this.#readState(run, store);
    const { committed = -1, plan, version = 0 } = known ?? {};
    const isNews = committed < state.committed || (!plan && state.plan && committed < state.plan.last);
    if (isNews && !(await this.writeState(run, store, state, version))) await this.advance(run, store, state);
  }

  /** Removes a state, but for one that tells of messages after `newest`: they are another process's. */
  async removeState(run: Run, store: string, newest: number): Promise<void> {
    const state = await this.#readState(run, store);
    if (state === undefined || Math.max(state.committed, state.plan?.last ?? -1) > newest) return;
    await unlessConflict(this.#store.delete(stateId(run.id, store), { ifVersion: state.version }));
  }

  async #readState(run: Run, store: string): Promise<(StoreState & { readonly version: number }) | undefined> {
    const found = await this.#store.get(stateId(run.id, store));
    return found && { ...(JSON.parse(found.content.slice(1)) as StoreState), version: found.version };
  }

  /**
   * All that lies here for the same stores, run by run. States of runs that have no turn any more are removed: their
   * process ended as it was cleaning up.
   */
  async leftovers(): Promise<Leftover[]> {
    const found = await this.#records();
    const runs = new Map<string, Leftover>();
    for (const { run, thread, turnId, first, last, parts, text } of joined(found)) {
      const left = runs.get(run) ?? { run, thread, turns: [], committed: new Map<string, number>() };
      runs.set(run, left);
      left.turns.push({ id: turnId, first, last, parts, items: JSON.parse(text) as Item[] });
    }
    for (const { run, store, text, id, version } of found) {
      if (store === undefined) continue;
      const left = runs.get(run);
      if (left !== undefined) left.committed.set(store, (JSON.parse(text) as StoreState).committed);
      else await unlessConflict(this.#store.delete(id, { ifVersion: version }));
    }
    return [...runs.values()];
  }

  /** A dot comes first: what is cut out of a long text may be blank, which no record can be. */
  #record(id: string, text: string, fields: JsonObject) {
    return { id, content: `.${text}`, metadata: { owner: this.#owner, ...fields }, index: false };
  }

  /** All records, the oldest first: the turns of a run in their order, and each before what is said of it. */
  async #records(): Promise<Found[]> {
    const found: Found[] = [];
    let options: ListOptions = { order: 'oldest', limit: 1_000 };
    for (;;) {
      const { items, cursor } = await this.#store.list(options);
      for (const { id, version, content, metadata } of items) {
        const fields = metadata as unknown as Fields;
        if (fields.owner === this.#owner) found.push({ id, version, text: content.slice(1), ...fields });
      }
      if (cursor === undefined) return found;
      options = { ...options, cursor };
    }
  }
}

/** The whole turns among records. One of which parts are missing was never acknowledged, or is on its way out. */
function joined(found: readonly Found[]): Found[] {
  const texts = new Map<string, string[]>();
  return found.flatMap((one) => {
    if (one.store !== undefined) return [];
    const parts = texts.get(one.turnId) ?? [];
    texts.set(one.turnId, parts);
    parts[one.part] = one.text;
    return Object.keys(parts).length === one.parts ? [{ ...one, text: parts.join('') }] : [];
  });
}

interface Fields {
  /** Which stores it is for: names and namespaces. */
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

interface Found extends Fields {
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
