/*
 * One of several processes that write to one namespace concurrently. Takes a URL, its own name and a number of records. Puts
 * them, increments a counter after each, and prints `done` and how many attempts the counter took.
 */
import { isMemoryError } from '@keepsake/core';
import { say } from '@keepsake/testing/say';
import { openStore } from './open-store.ts';

const [url = '', name = '', records = ''] = process.argv.slice(2);
const { client, store } = openStore(url);
let attempts = 0;
for (let n = 0; n < Number(records); n++) {
  const turn = { thread: `thread ${n % 3}`, index: n, speaker: name };
  await store.put({ id: `${name} ${n}`, content: `tea ${n} of ${name}`, turn });
  for (let incremented = false; !incremented; ) {
    attempts++;
    const count = await store.get('count');
    const content = String(Number(count?.content ?? 0) + 1);
    incremented = await store.put({ id: 'count', content }, { ifVersion: count?.version ?? 0 }).then(
      () => true,
      (error: unknown) => {
        if (isMemoryError(error, 'CONFLICT')) return false;
        throw error;
      },
    );
  }
}
client.disconnect();
say(`done ${attempts}`);
