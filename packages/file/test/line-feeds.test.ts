import { appendFileSync } from 'node:fs';
import { useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';
import { namespaceFolder } from '../src/disk/file-names.ts';
import { checkDirectory, FileSession, FileStore } from '../src/index.ts';
import { logIn, sessionLog } from './damage.ts';

const place = useDirectory();
/** More than a call can take as arguments. */
const LINE_FEEDS = '\n'.repeat(150_000);

it('a store and a session with a log full of line feeds are read, written and mended', async () => {
  const options = { directory: place.path, durability: 'os', onCorrupt: () => {} } as const;
  const open = () => ({
    store: new FileStore({ ...options, name: 'memory' }),
    session: new FileSession<{ n: number }>({ ...options, sessionId: 's' }),
  });
  const first = open();
  await first.store.put({ id: 'a', content: 'before' });
  await first.session.addItems([{ n: 1 }]);
  await first.store.close();
  appendFileSync(logIn(namespaceFolder(place.path, [])), LINE_FEEDS);
  appendFileSync(sessionLog(place.path, 's'), LINE_FEEDS);

  const { store, session } = open();
  expect((await store.get('a'))?.content).toBe('before');
  await store.put({ id: 'b', content: 'after' });
  expect(await session.getItems()).toEqual([{ n: 1 }]);
  await session.addItems([{ n: 2 }]);
  await store.close();

  for await (const _ of checkDirectory({ directory: place.path, repair: true }));
  for await (const { problems } of checkDirectory({ directory: place.path })) expect(problems).toEqual([]);
  const mended = open();
  expect((await mended.store.list({ order: 'oldest' })).items.map(({ content }) => content)).toEqual([
    'before',
    'after',
  ]);
  expect(await mended.session.getItems()).toEqual([{ n: 1 }, { n: 2 }]);
});
