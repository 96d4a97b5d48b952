import { expect, it } from 'vitest';
import { SqliteStore } from '../src/index.ts';
import { newFile } from './temporary-file.ts';

it('the namespace with the highest character is below the root, and nothing else is below it', async () => {
  const root = new SqliteStore({ file: newFile(), name: 'memory' });
  const paths = [['\u{10ffff}'], ['\u{10ffff}', '\u{10ffff}'], ['a', '\u{10ffff}'], ['\u{10ffff}\u{10ffff}']];
  for (const path of paths) await root.within(path).put({ id: 'one', content: 'heron' });
  expect((await root.namespaces()).items).toHaveLength(4);
  expect(await root.search('heron', { descendants: true })).toHaveLength(4);
  expect((await root.within(['\u{10ffff}']).namespaces()).items).toHaveLength(1);
  expect(await root.within(['\u{10ffff}']).clear({ descendants: true })).toBe(2);
  expect(await root.clear({ descendants: true })).toBe(2);
});
