import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { SqliteSession, SqliteStore } from '../src/index.ts';
import { newFile } from './temporary-file.ts';

/** Far more calls than fit into the time between two turns of the event loop. */
const MOST = 100_000;

it('the event loop turns, and changes are made, while get(), list() and getItems() are called again and again', async () => {
  const file = newFile();
  const [store, session] = [new SqliteStore({ file, name: 'memory' }), new SqliteSession({ file, sessionId: 's' })];
  await store.put({ id: 'a', content: 'heron' });
  await session.addItems([{ text: 'heron' }]);
  for (const read of [() => store.get('a'), () => store.list(), () => session.getItems()]) {
    let isChanged = false;
    const changes = (async () => {
      for (let n = 0; n < 20; n++) await store.put({ id: 'b', content: `tern ${n}` });
      isChanged = true;
    })();
    // How many turns the changes take depends on the disk, so only the calls within a turn are counted.
    while (!isChanged) expect(await callsInTurn(read)).toBeLessThan(MOST);
    await changes;
  }
});

/** Calls `read` until the event loop turns, and counts the calls. */
async function callsInTurn(read: () => Promise<unknown>): Promise<number> {
  let [hasTurned, calls] = [false, 0];
  void nextTurn().then(() => {
    hasTurned = true;
  });
  for (; calls < MOST && !hasTurned; calls++) await read();
  return calls;
}
