/*
 * One of several processes that fill and empty the same few namespaces: takes a URL, its own name, and how many rounds.
 * Says `done` and how many records it has put.
 */
import { randomInt } from 'node:crypto';
import { openStore } from './open-store.ts';
import { say } from './say.ts';

const [url = '', who = '', rounds = ''] = process.argv.slice(2);
const { client, store } = openStore(url);
const places = ['a', 'b', 'c'].map((name) => store.within(['top', name]));
let put = 0;
for (let round = 0; round < Number(rounds); round++) {
  const place = places[randomInt(places.length)] as typeof store;
  switch (randomInt(6)) {
    case 0:
      await place.clear();
      break;
    case 1:
      await place.delete(who);
      break;
    case 2:
      await store.within(['top']).namespaces();
      break;
    case 3:
      await place.put({ id: `${who} for a moment`, content: 'tea', ttlMs: 1 });
      put++;
      break;
    default:
      await place.put({ id: who, content: `tea ${round}` });
      put++;
  }
}
client.disconnect();
say(`done ${put}`);
