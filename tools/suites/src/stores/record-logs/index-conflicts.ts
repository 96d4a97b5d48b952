import { expect } from 'vitest';
import { NAMESPACE, type RecordLogsCase } from './harness.ts';
import { begin, expectRefused, positionOf, save, savedText } from './saved.ts';
import { put, remove } from './write-records.ts';

const PAGE = Buffer.from('heron');

export const indexConflictCases: readonly RecordLogsCase[] = [
  {
    title: 'the saved index is gone after clear, clearTree and compact, and after the namespace was emptied',
    async run({ open }) {
      const logs = open();
      const log = logs.open(NAMESPACE);
      for (const end of [
        () => log.clear(),
        () => logs.clearTree(['user']),
        () => log.compact(),
        () => remove(log, ['a', 'b']),
      ]) {
        await put(log, ['a', 'b']);
        await save(log, 'saved');
        expect(await savedText(log)).toBe('saved');
        await end();
        expect(await savedText(log)).toBeUndefined();
        await put(log, ['a', 'b']);
        expect(await savedText(open().open(NAMESPACE))).toBeUndefined();
      }
    },
  },
  {
    title: 'an index can not be published after the namespace was cleared, filled again or not',
    async run({ open }) {
      const logs = open();
      const log = logs.open(NAMESPACE);
      for (const clear of [() => log.clear(), () => logs.clearTree([])]) {
        for (const isFilledAgain of [false, true]) {
          await put(log, ['a', 'b']);
          const position = await positionOf(log);
          const writer = await begin(log);
          await writer.write([PAGE]);
          await clear();
          if (isFilledAgain) await put(log, ['a', 'b']);
          await expectRefused(log, () => writer.publish(position));
          await writer.discard();
        }
      }
      await save(log, 'saved');
      expect(await savedText(log)).toBe('saved');
    },
  },
  {
    title: 'an index can not be published after compact, or if it has deletions that were forgotten',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ['a', 'b', 'c']);
      for (const id of [undefined, 'a']) {
        const position = await positionOf(log);
        const writer = await begin(log);
        await writer.write([PAGE]);
        if (id !== undefined) await remove(log, [id]);
        await log.compact();
        await expectRefused(log, () => writer.publish(position));
        await writer.discard();
      }
      // It begins after compact, and still has a record that was deleted before.
      const position = await positionOf(log);
      await remove(log, ['b']);
      await log.compact();
      const writer = await begin(log);
      await writer.write([PAGE]);
      await expectRefused(log, () => writer.publish(position));
      await writer.discard();
      await save(log, 'saved');
      expect(await savedText(log)).toBe('saved');
    },
  },
  {
    title: 'an index that began before the namespace was emptied and filled again can not be published',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ['a', 'b']);
      const position = await positionOf(log);
      const writer = await begin(log);
      await writer.write([PAGE]);
      await remove(log, ['a', 'b']);
      await put(log, ['a', 'b']);
      await expectRefused(log, () => writer.publish(position));
    },
  },
  {
    title: 'an index of a namespace before it was emptied and filled again can not be published, whenever it began',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ['a', 'b']);
      const position = await positionOf(log);
      await remove(log, ['a', 'b']);
      await put(log, ['a', 'b']);
      const writer = await begin(log);
      await writer.write([PAGE]);
      // Even if its numbers are those of changes that came later.
      for (const change of [position.change, (await positionOf(log)).change]) {
        await expectRefused(log, () => writer.publish({ log: position.log, change }));
      }
      await writer.discard();
      await save(log, 'saved');
      expect(await savedText(log)).toBe('saved');
    },
  },
];
