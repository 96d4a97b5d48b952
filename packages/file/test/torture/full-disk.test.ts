import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { show } from '@keepsake/testing/torture/figures';
import { mountSmallDisk, type SmallDisk } from '@keepsake/testing/torture/small-disk';
import { expect, it, onTestFinished, type TestContext } from 'vitest';
import { FileSession, FileSessionStore, FileStore } from '../../src/index.ts';
import { places } from './places.ts';

/* Tests on a small file system that is really full. Without the permission to mount one, they are skipped. */

const { root } = places();

/** Mounts a small file system until the end of the test. Skips the test if this user can't mount one. */
function mounted(context: TestContext, name: string, size: string): SmallDisk {
  const disk = mountSmallDisk(join(root, name), size);
  if (disk === undefined) {
    show(context, 13, `a real file system that is ${name}: NOT RUN, because this user can't mount one`);
    context.skip();
  }
  onTestFinished(disk.unmount);
  return disk;
}

it('a full disk refuses changes, keeps existing data, and works again once there is space', async (context) => {
  const { path: directory } = mounted(context, 'full', '256k');
  const session = new FileSession({ directory, sessionId: 'chat' });
  const store = new FileStore({ directory, name: 'memory' });
  const items = (text: string, length = 1) => Array.from({ length }, (_, n) => ({ n, text: text.repeat(1000) }));
  const records = (text: string, length = 1) =>
    Array.from({ length }, (_, n) => ({ id: `${text} ${n}`, content: text.repeat(1000) }));
  await session.addItems(items('kept', 3));
  await store.putMany(records('kept', 3));
  writeFileSync(join(directory, 'ballast'), Buffer.alloc(100_000));
  const kept = async () => {
    expect(await new FileSession({ directory, sessionId: 'chat' }).getItems()).toEqual(items('kept', 3));
    expect(await session.getItems()).toEqual(items('kept', 3));
    for (const one of [store, new FileStore({ directory, name: 'memory' })]) {
      expect((await one.list({ order: 'oldest' })).items.map(({ id }) => id)).toEqual(['kept 0', 'kept 1', 'kept 2']);
    }
  };
  let refused = 0;
  for (let round = 0; round < 3; round++) {
    for (const use of [
      () => session.addItems(items('sentinel', 60)),
      () => store.putMany(records('sentinel', 60)),
      () => new FileSession({ directory, sessionId: `another ${round}` }).addItems(items('sentinel', 60)),
    ]) {
      const error = await use().catch((reason) => reason);
      expect(error).toMatchObject({ code: 'BACKEND', cause: { code: 'ENOSPC' } });
      expect(error.message).toContain('The disk is full, so nothing was written.');
      expect(error.message).not.toContain('sentinel');
      await kept();
      refused++;
    }
  }
  rmSync(join(directory, 'ballast'));
  await session.addItems(items('later', 2));
  await store.putMany(records('later', 2));
  expect(await new FileSession({ directory, sessionId: 'chat' }).getItems()).toEqual([
    ...items('kept', 3),
    ...items('later', 2),
  ]);
  expect((await new FileStore({ directory, name: 'memory' }).list()).items).toHaveLength(5);
  show(
    context,
    13,
    `a real file system that is full (tmpfs, 256 KiB): ${refused} changes refused with ENOSPC, earlier data complete, works again once space is freed`,
  );
});

it('a session can be deleted from a disk that is full to its last byte', async (context) => {
  const { path: directory, fill } = mounted(context, 'crammed', '256k');
  const session = new FileSession({ directory, sessionId: 'chat' });
  await session.addItems([{ text: 'x'.repeat(100_000) }]);
  fill();
  await expect(session.addItems([{ text: 'x'.repeat(9000) }])).rejects.toMatchObject({ code: 'BACKEND' });
  expect(await new FileSessionStore({ directory }).delete('chat')).toBe(true);
  await session.addItems([{ text: 'x' }]);
  expect(await session.getItems()).toEqual([{ text: 'x' }]);
  show(context, 13, 'a real file system without a free byte: a session is deleted, and can be written again');
});

it('a read-only disk can be read, and changes are refused with the reason', async (context) => {
  const { path: directory } = mounted(context, 'read-only', '256k');
  const session = new FileSession({ directory, sessionId: 'chat' });
  await session.addItems([{ a: 1 }]);
  execFileSync('mount', ['-o', 'remount,ro', directory]);
  await expect(session.addItems([{ a: 2 }])).rejects.toMatchObject({
    code: 'BACKEND',
    message: expect.stringContaining('read-only'),
    cause: { code: 'EROFS' },
  });
  expect(await new FileSession({ directory, sessionId: 'chat' }).getItems()).toEqual([{ a: 1 }]);
  expect((await new FileSessionStore({ directory }).list()).items).toHaveLength(1);
  show(context, 13, 'a real file system that is read-only: reads work, changes are refused with EROFS');
});
