/*
 * One of several processes that write to one namespace at once: takes a URL, its own name, and how many records.
 * Puts these, raises one that all raise as often, and says `done` and how often it had to try.
 */
import { isMemoryError } from '@keepsake/core';
import { openStore } from './open-store.ts';
import { say } from './say.ts';

const [url = '', who = '', records = ''] = process.argv.slice(2);
const { client, store } = openStore(url);
let tries = 0;
for (let n = 0; n < Number(records); n++) {
  const turn = { thread: `thread ${n % 3}`, index: n, speaker: who };
  await store.put({ id: `${who} ${n}`, content: `tea ${n} of ${who}`, turn });
  for (let raised = false; !raised; ) {
    tries++;
    const count = await store.get('count');
    const content = String(Number(count?.content ?? 0) + 1);
    raised = await store.put({ id: 'count', content }, { ifVersion: count?.version ?? 0 }).then(
      () => true,
      (error: unknown) => {
        if (isMemoryError(error, 'CONFLICT')) return false;
        throw error;
      },
    );
  }
}
client.disconnect();
say(`done ${tries}`);
