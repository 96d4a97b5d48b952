import type { JsonObject } from '@keepsake/core';
import { encodeItems } from '@keepsake/core/adapter';
import { ReferenceSession } from '../reference.ts';
import { decoding, type Mutant, type Mutants, type TransactionArgs } from './mutant.ts';

/** Stores and returns the objects of callers, or copies of them. */
function referring(keep: (item: object) => object, give: (item: object) => object): Mutant {
  const kept = new Map<string, object>();
  return class extends ReferenceSession {
    protected override encode(items: readonly object[], what?: string): string[] {
      encodeItems(items, what);
      return items.map((item) => {
        kept.set(`#${kept.size}`, keep(item));
        return `#${kept.size - 1}`;
      });
    }

    protected override decode(text: string): JsonObject {
      return give(kept.get(text) ?? {}) as JsonObject;
    }
  };
}

const same = (item: object) => item;
const keepsObjects = referring(same, structuredClone);
const givesObjects = referring(structuredClone, same);

/** Reads its arguments only after the first await. */
const readsArgumentsLate: Mutant = class extends ReferenceSession {
  override async addItems(items: JsonObject[]): Promise<void> {
    await this.backend.wait();
    await super.addItems(items);
  }

  override async applyHistoryTransaction(args: TransactionArgs): Promise<void> {
    await this.backend.wait();
    await super.applyHistoryTransaction(args);
  }

  override async applyHistoryMutations(args: Parameters<ReferenceSession['applyHistoryMutations']>[0]): Promise<void> {
    await this.backend.wait();
    await super.applyHistoryMutations(args);
  }

  override async replaceHistoryWithCompaction(items: JsonObject[]): Promise<void> {
    await this.backend.wait();
    await super.replaceHistoryWithCompaction(items);
  }
};

export const isolationMutants: Mutants = {
  'changing an item after it was added changes nothing stored': keepsObjects,
  'changing an item while it is being added changes nothing stored': readsArgumentsLate,
  'changing the batch while it is being added changes nothing stored': readsArgumentsLate,
  'changing what was read changes nothing stored': givesObjects,
  'two reads share nothing, at any depth': [givesObjects, referring(structuredClone, (item) => ({ ...item }))],
  'a popped item is not shared with earlier readers': givesObjects,
  'an item that was popped, changed and added to another session is two items': referring(same, same),
  'adding neither changes nor freezes its argument': [
    class extends ReferenceSession {
      override async addItems(items: JsonObject[]): Promise<void> {
        for (const item of items) Object.freeze(item);
        await super.addItems(items);
      }
    },
    class extends ReferenceSession {
      override async addItems(items: JsonObject[]): Promise<void> {
        await super.addItems(items);
        for (const item of items) if (!Object.isFrozen(item)) item.id = 'stamped';
      }
    },
  ],
  'read items can be changed freely: they are not frozen': decoding(
    (text) => Object.freeze(JSON.parse(text)) as JsonObject,
  ),
  'changing a transaction while it is being applied changes nothing stored': readsArgumentsLate,
  'changing a compaction while it is being stored changes nothing stored': [readsArgumentsLate, keepsObjects],
  'changing a mutation while it is being applied changes nothing stored': readsArgumentsLate,
};
