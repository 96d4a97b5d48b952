import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { SqliteSession } from '../src/index.ts';
import { temporaryDatabase } from './database.ts';

const append = join(import.meta.dirname, 'children/append.ts');

it('batches of two processes at once stay whole and in order', async () => {
  const database = temporaryDatabase();
  try {
    const run = (writer: string) =>
      promisify(execFile)(process.execPath, ['--conditions=@keepsake/source', append, database.path, writer]);
    await Promise.all(['a', 'b'].map(run));
    const items = await new SqliteSession({ client: database.connect(), sessionId: 'shared' }).getItems();
    for (const name of ['a', 'b']) {
      expect(items.filter(({ writer }) => writer === name).map(({ batch, part }) => [batch, part])).toEqual(
        Array.from({ length: 100 }, (_, index) => [Math.floor(index / 2), (index % 2) + 1]),
      );
    }
    for (const [index, { writer, part }] of items.entries()) {
      if (part === 2) expect(items[index - 1]).toMatchObject({ writer, part: 1 });
    }
  } finally {
    database.close();
  }
});
