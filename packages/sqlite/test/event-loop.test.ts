import { expect, it } from 'vitest';
import { SqliteSession, SqliteStore } from '../src/index.ts';
import { newFile } from './temporary-file.ts';

/** Far more calls than fit into the time between two turns of the event loop. */
const MOST = 3_000;

it('timers fire, and changes are made, while get(), list() and getItems() are called again and again', async () => {
  const file = newFile();
  const [store, session] = [new SqliteStore({ file, name: 'memory' }), new SqliteSession({ file, sessionId: 's' })];
  await store.put({ id: 'a', content: 'heron' });
  await session.addItems([{ text: 'heron' }]);
  for (const read of [() => store.get('a'), () => store.list(), () => session.getItems()]) {
    let [hasFired, isChanged] = [false, false];
    setTimeout(() => {
      hasFired = true;
    });
    const changes = (async () => {
      for (let n = 0; n < 20; n++) await store.put({ id: 'b', content: `tern ${n}` });
      isChanged = true;
    })();
    for (let n = 0; n < MOST && !(hasFired && isChanged); n++) await read();
    expect({ hasFired, isChanged }).toEqual({ hasFired: true, isChanged: true });
    await changes;
  }
});
