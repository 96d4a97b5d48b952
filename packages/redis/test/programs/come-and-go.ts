/*
 * One of several processes that fill and empty the same few namespaces. Takes a URL, its own name and a number of rounds.
 * Prints `done` and how many records it has put.
 */
import { randomInt } from 'node:crypto';
import { say } from '@keepsake/testing/say';
import { openStore } from './open-store.ts';

const [url = '', name = '', rounds = ''] = process.argv.slice(2);
const { client, store } = openStore(url);
const stores = ['a', 'b', 'c'].map((segment) => store.within(['top', segment]));
let put = 0;
for (let round = 0; round < Number(rounds); round++) {
  const one = stores[randomInt(stores.length)] as typeof store;
  switch (randomInt(6)) {
    case 0:
      await one.clear();
      break;
    case 1:
      await one.delete(name);
      break;
    case 2:
      await store.within(['top']).namespaces();
      break;
    case 3:
      await one.put({ id: `${name} for a moment`, content: 'tea', ttlMs: 1 });
      put++;
      break;
    default:
      await one.put({ id: name, content: `tea ${round}` });
      put++;
  }
}
client.disconnect();
say(`done ${put}`);
