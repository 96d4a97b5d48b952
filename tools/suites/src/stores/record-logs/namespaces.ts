import { formatNamespace } from '@keepsake/core';
import { expect } from 'vitest';
import { listAll, upToDate } from './follower.ts';
import { NAMESPACES, type RecordLogsCase } from './harness.ts';
import { put, remove } from './write-records.ts';

export const namespaceCases: readonly RecordLogsCase[] = [
  {
    title: 'namespaces are separate, also those that are prefixes of each other',
    async run({ open }) {
      const followers = [];
      for (const namespace of NAMESPACES) {
        const log = open().open(namespace);
        await put(log, ['a', 'b'], { content: formatNamespace(namespace) });
        followers.push(await upToDate(log));
      }
      const changed = open().open(['a']);
      await put(changed, ['b', 'c']);
      await remove(changed, ['a']);
      for (const [n, namespace] of NAMESPACES.entries()) {
        const [log, text] = [open().open(namespace), formatNamespace(namespace)];
        if (text === 'a') continue;
        expect(await followers[n]?.follow(), text).toEqual([]);
        for (const found of [await log.read(['a', 'b', 'c']), await listAll(log)]) {
          const seen = found.map(({ record: { id, content, version } }) => `${id} ${content} ${version}`).sort();
          expect(seen, text).toEqual([`a ${text} 1`, `b ${text} 1`]);
        }
      }
    },
  },
  {
    title: 'namespacesBelow returns the namespaces strictly below one',
    async run({ open }) {
      for (const namespace of NAMESPACES) await put(open().open(namespace), ['a']);
      const logs = open();
      const below = async (namespace: readonly string[]) =>
        (await logs.namespacesBelow(namespace)).map(formatNamespace).sort();
      const texts = NAMESPACES.map(formatNamespace);
      expect(await below(['a'])).toEqual(
        [
          ['a', 'b'],
          ['a', 'b', 'c'],
        ].map(formatNamespace),
      );
      expect(await below(['a', 'b', 'c'])).toEqual([]);
      expect(await below(['missing'])).toEqual([]);
      expect(await below([])).toEqual(texts.slice(1).sort());
    },
  },
];
