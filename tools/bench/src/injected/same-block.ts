import { memoryBlock } from '@keepsake/core/adapter';
import { MAX_TOKENS } from '../conversations/targets.ts';
import type { Engine, Entry } from '../engines/engine.ts';
import { idOf } from '../engines/entry-ids.ts';
import type { Injector } from './injector.ts';

/** The number of results that Keepsake's manager requests from its stores. */
const LIMIT = 50;

/**
 * Puts the results of a peer into a block like that of Keepsake's manager, until it is full. Long entries are cut to their
 * best passage as well, so that only the found entries differ.
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
