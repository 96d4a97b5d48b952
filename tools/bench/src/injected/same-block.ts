import { memoryBlock } from '@keepsake/core';
import { MAX_TOKENS } from '../conversations/targets.ts';
import type { Engine, Entry } from '../engines/engine.ts';
import { idOf } from '../engines/entry-ids.ts';
import type { Injector } from './injector.ts';

/** As many as Keepsake's manager asks its stores for. */
const LIMIT = 50;

/**
 * What a peer finds, in a block such as Keepsake's manager makes, until it is full. Long entries come as their best
 * passage there, so what differs is which entries were found.
 */
export function inSameBlock(engine: Engine): Injector {
  return {
    name: `${engine.name}, in the same block`,
    async open(entries, setting) {
      const store = await engine.open(setting);
      await store.add(entries);
      return {
        async blockFor(question) {
          const places = await store.search(question, LIMIT);
          const found = places.map((place) => ({ ...(entries[place] as Entry), id: idOf(place), storeName: 'bench' }));
          const { entries: shown, text } = memoryBlock(found, MAX_TOKENS, question);
          return shown.length === 0 ? '' : text;
        },
      };
    },
  };
}
