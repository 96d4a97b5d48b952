import { type JsonObject, MemoryError } from '@keepsake/core';
import { DAMAGED, ReferenceSession } from '../reference.ts';
import { jsonMutants } from './data.ts';
import {
  appending,
  cachesReads,
  clearing,
  keyed,
  limiting,
  type Mutant,
  type Mutants,
  popping,
  reading,
  type TransactionArgs,
  transacting,
} from './mutant.ts';

/** Returns at most this many items, as if there were no more. */
const givesFew = (count: number) => limiting((limit = count) => Math.min(limit, count));

const reversed = reading((items, count = items.length) => items.slice(Math.max(0, items.length - count)).toReversed());

/** Reads once. */
const readsOnce: Mutant = class extends ReferenceSession {
  #items: JsonObject[] | undefined;

  override async getItems(): Promise<JsonObject[]> {
    this.#items ??= await super.getItems();
    return this.#items;
  }
};

export const windowMutants: Mutants = {
  'a window of turns begins where a turn begins': givesFew(30),
  'a window of items splits no turn, and separates no call from its result': [givesFew(30), reversed],
  'a window of tokens counts as the caller counts': [givesFew(10), reversed],
  'a window without limits is the whole history': givesFew(50),
  'a window leaves out calls that were interrupted, and keeps the rest of their turn': reading((items) =>
    items.slice(0, -1).with(-1, items.at(-1) as string),
  ),
  'a window follows what was appended and popped': readsOnce,
  'a window of a long history reads only its end': givesFew(10),
};

/** Deletes the items that a read did not return. */
const readsTrim: Mutant = class extends ReferenceSession {
  override async getItems(limit?: number): Promise<JsonObject[]> {
    const items = await super.getItems(limit);
    if (limit !== undefined) await this.change(() => ({ items: items.map((item) => JSON.stringify(item)) }));
    return items;
  }
};

const forgets = transacting((args) => ({ ...args, operationId: crypto.randomUUID() }));

const keepsSuffix = transacting(({ operationId, transaction }) => ({
  operationId,
  transaction: transaction.type === 'append_items' ? transaction : { ...transaction, expectedSuffix: [] },
}));

/** Reads as many items as there were at its last read. */
const countsTooEarly: Mutant = class extends ReferenceSession {
  #count: number | undefined;

  override async getItems(limit?: number): Promise<JsonObject[]> {
    if (limit !== undefined) return super.getItems(limit);
    const items = await super.getItems(this.#count);
    this.#count = (await this.read()).items.length;
    return items;
  }
};

const ignoresCompaction: Mutant = class extends ReferenceSession {
  override async replaceHistoryWithCompaction(): Promise<void> {}
};

export const encryptionMutants: Mutants = {
  'an encrypted session works like the session': [clearing(() => undefined), keepsSuffix],
  'an encrypted session remembers operations': forgets,
  'an encrypted session replaces calls': keepsSuffix,
  'items of an old key are read and replaced while the ring keeps it': keepsSuffix,
  'a wrong key is refused, never read as an empty history, and removes nothing': readsTrim,
  'an encrypted item that was moved to another session is refused there': class extends ReferenceSession {
    override async getSessionId(): Promise<string> {
      return 'session';
    }
  },
  'a damaged encrypted item is distinguished from a wrong key, and is kept': ignoresCompaction,
  'plaintext under encryption is an error': appending((items) => items),
  'an encrypted session refuses what the session refuses': reading(() => ['{}']),
  'it is noticed if encrypted items were reordered': ignoresCompaction,
  'it is noticed if encrypted items were swapped at the end': ignoresCompaction,
  'it is noticed if encrypted items were dropped in the middle': ignoresCompaction,
  'it is noticed if encrypted items were dropped at the beginning': ignoresCompaction,
  'it is noticed if encrypted items were repeated at the end': ignoresCompaction,
  'it is noticed if encrypted items were repeated at once': ignoresCompaction,
  'an encrypted item of an earlier life of the session is noticed': appending((items) => items),
  'encrypted items keep their order through every kind of change': keepsSuffix,
  'an encrypted session can be read while other callers change it': countsTooEarly,
  'many concurrent callers who begin an encrypted session all add to the same one': keepsSuffix,
  'many concurrent callers of an encrypted session lose nothing and pop nothing twice': keepsSuffix,
};

/** The operations of all sessions together. */
const sharedOperations = new Map<string, string>();
const remembersForAll: Mutant = class extends ReferenceSession {
  override async applyHistoryTransaction(args: TransactionArgs): Promise<void> {
    if (sharedOperations.has(args.operationId)) return;
    await super.applyHistoryTransaction(args);
    sharedOperations.set(args.operationId, this.id);
  }
};

export const generatedMutants: Mutants = {
  'after any history of commands, a session equals a plain array': [
    popping((items) => items.filter((item) => item !== items.at(-1))),
    reading((items, count = 0) => items.slice(-count)),
    appending((items, added) => (items.length > 5 ? [...items.slice(1), ...added] : [...items, ...added])),
    forgets,
  ],
  'after any history of commands through two instances, a session equals a plain array': cachesReads,
  'after any history of commands, an encrypted session equals a plain array': keepsSuffix,
  'any JSON object comes back as from JSON.parse': [
    ...[jsonMutants['NUL characters come back, in values and keys'] ?? []].flat(),
    ...[jsonMutants['lone surrogates come back, in values and keys'] ?? []].flat(),
    ...[jsonMutants['a field named __proto__ comes back as an own field, and pollutes nothing'] ?? []].flat(),
  ],
  'any similar ids are different sessions': [
    keyed((id) => id.replaceAll(/[^a-z]/gi, '_')),
    keyed((id) => encodeURIComponent(id).slice(0, 6)),
  ],
  'any window of any history begins with a turn and has no call without its result': [givesFew(5), reversed],
  'any two sessions used alternately do not affect each other': [keyed(() => 'all'), remembersForAll],
};

/** Hides a failure of the backend. */
function hidingFailures(
  method: 'getItems' | 'popItem' | 'addItems' | 'applyHistoryMutations' | 'replaceHistoryWithCompaction',
  instead: () => unknown,
): Mutant {
  return class extends ReferenceSession {
    constructor(...args: ConstructorParameters<typeof ReferenceSession>) {
      super(...args);
      const whole = (this[method] as (...args: never[]) => Promise<unknown>).bind(this);
      Object.defineProperty(this, method, { value: (...args: never[]) => whole(...args).catch(instead) });
    }
  };
}

export const faultMutants: Mutants = {
  'reads skip damaged items, and limits count only valid ones': [
    reading((items, count = items.length) =>
      items.slice(Math.max(0, items.length - count)).filter((item) => item !== DAMAGED),
    ),
    reading((items, count = items.length) =>
      items.slice(items.lastIndexOf(DAMAGED) + 1).slice(Math.max(0, items.length - count)),
    ),
  ],
  'a session with damaged items accepts new ones': appending((items, added) => {
    const end = items.indexOf(DAMAGED);
    return [...(end === -1 ? items : items.slice(0, end)), ...added];
  }),
  'a session with damaged items applies operations, each once': forgets,
  'popping a damaged item is refused as corrupt, and removes nothing': class extends ReferenceSession {
    override async popItem(): Promise<JsonObject | undefined> {
      await this.change(({ items }) => ({ items: items.filter((item) => item !== DAMAGED) }));
      return super.popItem();
    }
  },
  'compaction of a damaged history is refused as corrupt, and removes nothing': class extends ReferenceSession {
    override async replaceHistoryWithCompaction(items: JsonObject[]): Promise<void> {
      const texts = this.encode(items);
      await this.change(() => ({ items: texts }));
    }
  },
  'a read that fails is an error, never an empty history': [
    hidingFailures('getItems', () => []),
    hidingFailures('getItems', () => Promise.reject(new Error('connect ECONNREFUSED'))),
  ],
  'a pop that fails is an error, never undefined': hidingFailures('popItem', () => undefined),
  'a failed write is an error, and the session works again when the backend does': [
    hidingFailures('addItems', () => undefined),
    class extends ReferenceSession {
      #broken: unknown;

      override async addItems(items: JsonObject[]): Promise<void> {
        if (this.#broken !== undefined) throw this.#broken;
        await super.addItems(items).catch((error: unknown) => {
          this.#broken = error;
          throw error;
        });
      }
    },
  ],
  'a failed rewrite of the history is an error, and changes nothing': [
    hidingFailures('replaceHistoryWithCompaction', () => undefined),
    hidingFailures('applyHistoryMutations', () => undefined),
  ],
  'an operation that failed with its backend can be retried, and is applied once': [
    forgets,
    class extends ReferenceSession {
      #sent = new Set<string>();

      override async applyHistoryTransaction(args: TransactionArgs): Promise<void> {
        if (this.#sent.has(args.operationId)) return;
        this.#sent.add(args.operationId);
        await super.applyHistoryTransaction(args);
      }
    },
    class extends ReferenceSession {
      override async applyHistoryTransaction(args: TransactionArgs): Promise<void> {
        await super.applyHistoryTransaction(args).catch((cause: unknown) => {
          throw new MemoryError('CONFLICT', 'It could not be applied.', { cause });
        });
      }
    },
  ],
};
