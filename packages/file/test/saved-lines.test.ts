import { join } from 'node:path';
import { useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';
import { readSavedLines, saveLines } from '../src/listing/saved-lines.ts';

const directory = useDirectory();

it('more saved lines than are written or read at once come back', async () => {
  const path = join(directory.path, 'index', 'list');
  const lines = Array.from({ length: 2_500 }, (_, n) => [`folder ${n}`, n, 'x'.repeat(300)]);
  await saveLines(path, { keepsake: 'list', version: 1 }, lines);
  expect(await readSavedLines(path, { keepsake: 'list', version: 1 })).toEqual(lines);
  expect(await readSavedLines(path, { keepsake: 'list', version: 2 })).toEqual([]);
});
