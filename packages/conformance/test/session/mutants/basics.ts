import { type JsonObject, MemoryError } from '@keepsake/core';
import { encodeItems, itemLimit, uuidv7 } from '@keepsake/core/adapter';
import { ReferenceSession, ReidentifiedSession, type State, UnsharedSession } from '../reference.ts';
import {
  appending,
  cachesReads,
  clearing,
  keyed,
  limiting,
  type Mutants,
  pause,
  popping,
  prepends,
  reading,
  writesOneByOne,
} from './mutant.ts';

export const identityMutants: Mutants = {
  'a session opened without an id gets a UUID version 7': class extends ReferenceSession {
    constructor(...[backend, sessionId]: ConstructorParameters<typeof ReferenceSession>) {
      super(backend, sessionId ?? crypto.randomUUID());
    }
  },
  'a session has its id from the first call': class extends ReferenceSession {
    #written = false;

    override async addItems(items: JsonObject[]): Promise<void> {
      this.#written = true;
      await super.addItems(items);
    }

    override async getSessionId(): Promise<string> {
      return this.#written ? this.id : 'new';
    }
  },
  'concurrent callers get the same id': class extends ReferenceSession {
    #made = false;

    override async getSessionId(): Promise<string> {
      if (this.#made) return this.id;
      const id = uuidv7();
      await pause();
      this.#made = true;
      this.id = id;
      return id;
    }
  },
  'a session opened with an id has that id': class extends ReferenceSession {
    override async getSessionId(): Promise<string> {
      return this.id.toLowerCase();
    }
  },
  'an id that the backend did not make is refused': ReferenceSession,
  'sessions opened without an id are different sessions': class extends ReferenceSession {
    constructor(...[backend, sessionId]: ConstructorParameters<typeof ReferenceSession>) {
      super(backend, sessionId ?? 'default');
    }
  },
  'a second instance of an id sees the items': UnsharedSession,
  'a second instance of an id starts empty': ReferenceSession,
  'an instance that has already read sees later writes of another': cachesReads,
  'writes and pops of one session are not visible in another': keyed(() => 'all'),
};

export const readingMutants: Mutants = {
  'a new session has no items, with any limit': class extends ReferenceSession {
    override async getItems(limit?: number): Promise<JsonObject[]> {
      const items = await super.getItems(limit);
      return items.length === 0 ? (undefined as unknown as JsonObject[]) : items;
    }
  },
  'without a limit, the whole history is returned, oldest first': reading((items) => items.toReversed()),
  'a limit returns the newest items, oldest first': [
    reading((items, count) => items.slice(0, count)),
    reading((items, count) => items.slice(-(count ?? 0)).toReversed()),
  ],
  'a limit of 1 returns the newest item': reading((items, count) => items.slice(0, count)),
  'a limit of the length of the history, or above, gives the whole history': reading((items, count = 0) =>
    items.slice(items.length - count),
  ),
  'a limit that is infinite or very large gives the whole history': limiting((limit) => Number(limit) | 0),
  'a limit of 0 gives no items': reading((items, count = 0) => items.slice(-count)),
  'a limit below 0 gives no items': limiting((limit) => (Number(limit) < 0 ? undefined : limit)),
  'a limit with a fraction rounds up': limiting((limit = 0) => Math.floor(limit)),
  'a limit of undefined gives the whole history': limiting((limit = 3) => limit),
  'a limit of NaN gives the whole history': limiting((limit) => limit || 0),
  'a limit counts items, regardless of batches': limiting((limit = 0) => Math.ceil(limit / 3) * 3),
  'no default window shortens a long history': limiting((limit = 1_000) => limit),
  'a large limit returns that many items, regardless of internal pages': [
    limiting((limit = 0) => Math.min(limit, 100)),
    limiting((limit = 0) => Math.min(limit, 1_000)),
  ],
  'a limit that is not a number is refused': limiting((limit) => itemLimit(Number(limit))),
  'reading changes nothing': class extends ReferenceSession {
    override async getItems(limit?: number): Promise<JsonObject[]> {
      const items = await super.getItems(limit);
      if (items.length > 0) await this.replaceHistoryWithCompaction(items);
      return items;
    }
  },
};

/** Orders items by the clock; within a millisecond, newest first or last. */
function byClock(clock: () => number, newestFirst: boolean) {
  return class extends ReferenceSession {
    #times: number[] = [];

    override async addItems(items: JsonObject[]): Promise<void> {
      const added = this.encode(items);
      const now = clock();
      const place = this.#times.filter((time) => (newestFirst ? time < now : time <= now)).length;
      this.#times.splice(place, 0, ...added.map(() => now));
      await this.change((state) => ({ items: state.items.toSpliced(place, 0, ...added) }));
    }
  };
}

const encoding = (encode: (items: object[]) => object[]) =>
  class extends ReferenceSession {
    protected override encode(items: object[], what?: string): string[] {
      return encodeItems(encode(items), what);
    }
  };

export const appendingMutants: Mutants = {
  'items are appended at the end, in the order of the calls': prepends,
  'the items of a batch keep their order': appending((items, added) => [...items, ...added.toSorted()]),
  'quick appends are ordered by calls, not by a clock': byClock(() => Math.floor(performance.now()), true),
  'the order of appends stays when the clock goes back': byClock(() => Date.now(), false),
  'an append can be read as soon as it is acknowledged': class extends ReferenceSession {
    override async addItems(items: JsonObject[]): Promise<void> {
      void pause(10).then(() => super.addItems(items));
    }
  },
  'an append can be read through another instance as soon as it is acknowledged': cachesReads,
  'appending no items changes nothing': appending((items, added) =>
    added.length === 0 ? ['{}'] : [...items, ...added],
  ),
  'equal items are all kept, each in its position': appending((items, added) => [...new Set([...items, ...added])]),
  'a batch with one item that cannot be stored is refused whole': writesOneByOne,
  'anything but an array of objects is refused, and nothing is written': [
    encoding((items) => (Array.isArray(items) ? items : [])),
    encoding((items) => (Array.isArray(items) ? items.filter((item) => typeof item === 'object' && item) : items)),
    encoding((items) => (items instanceof Set ? [...items] : items)),
  ],
  'a batch with a hole is refused': encoding((items) => (Array.isArray(items) ? items.filter(() => true) : items)),
  'a refusal is a rejected promise, never a throw': class extends ReferenceSession {
    override addItems(items: JsonObject[]): Promise<void> {
      this.encode(items);
      return super.addItems(items);
    }
  },
  'a session works after a refused append': class extends ReferenceSession {
    #queue = Promise.resolve();

    override addItems(items: JsonObject[]): Promise<void> {
      this.#queue = this.#queue.then(() => super.addItems(items));
      return this.#queue;
    }
  },
};

export const poppingMutants: Mutants = {
  'popping an empty session returns undefined, any number of times': class extends ReferenceSession {
    override async popItem(): Promise<JsonObject | undefined> {
      return (await super.popItem()) ?? (null as unknown as undefined);
    }
  },
  'popping returns and removes the newest item': [
    popping((items) => items),
    popping((items) => items.slice(1)),
    class extends ReferenceSession {
      override async popItem(): Promise<JsonObject | undefined> {
        const [oldest] = await this.getItems();
        await super.popItem();
        return oldest;
      }
    },
  ],
  'popping removes one item of a batch, not the batch': popping((items) => items.slice(0, -3)),
  'items pop in reverse order until none is left': popping((items) => items.slice(1)),
  'a popped item is what was added, field by field': class extends ReferenceSession {
    override async popItem(): Promise<JsonObject | undefined> {
      const { providerData, ...item } = (await super.popItem()) ?? {};
      return item;
    }
  },
  'an item added after a pop takes the position of the popped item': class extends ReferenceSession {
    #places = 0;

    // Counts appended items to find the next position, and ignores popped ones.
    override async addItems(items: JsonObject[]): Promise<void> {
      const added = this.encode(items);
      await this.change((state) => {
        const inFront = this.#places > state.items.length;
        this.#places += added.length;
        return { items: inFront ? [...added, ...state.items] : [...state.items, ...added] };
      });
    }
  },
  'popping one of several equal items keeps the others': popping((items) =>
    items.filter((item) => item !== items.at(-1)),
  ),
  'a session that was emptied by pops can be used like a new one': class extends ReferenceSession {
    #ended = false;

    override async popItem(): Promise<JsonObject | undefined> {
      const item = await super.popItem();
      this.#ended ||= item === undefined;
      return item;
    }

    override async addItems(items: JsonObject[]): Promise<void> {
      if (!this.#ended) await super.addItems(items);
    }
  },
  'limits count from the new end after a pop': class extends ReferenceSession {
    #popped = 0;

    override async popItem(): Promise<JsonObject | undefined> {
      this.#popped++;
      return super.popItem();
    }

    protected override limit(limit: number | undefined): number | undefined {
      return limit === undefined ? undefined : limit - this.#popped;
    }
  },
  'an item popped through one instance is gone for the others': cachesReads,
};

export const clearingMutants: Mutants = {
  'clearing removes all items': clearing(() => undefined),
  'clearing removes all of a long history': clearing(({ items }) => ({ items: items.slice(1_000) })),
  'clearing an empty session does nothing': clearing(({ items }) => {
    if (items.length === 0) throw new MemoryError('BACKEND', 'The session was not found.');
    return { items: [] };
  }),
  'a cleared session can be used at once': class extends ReferenceSession {
    override async clearSession(): Promise<void> {
      void pause(2).then(() => super.clearSession());
    }
  },
  'a cleared session keeps its id': ReidentifiedSession,
  'a cleared session gets a new id, and keeps that': ReferenceSession,
  'clearing through one instance clears for all': cachesReads,
  'clearing does not affect other sessions': class extends ReferenceSession {
    override async clearSession(): Promise<void> {
      this.backend.sessions.clear();
    }
  },
  'clearing forgets the operation ids': clearing((state: State) => ({ ...state, items: [] })),
};
