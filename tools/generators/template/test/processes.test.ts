import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { putCount } from '@keepsake/core/adapter';
import { expect, it } from 'vitest';
import { SqliteSession, SqliteStore } from '../src/index.ts';
import { temporaryDatabase } from './database.ts';

const program = join(import.meta.dirname, 'children/write.ts');

it('two processes that write at the same time lose nothing and do not interleave batches', async () => {
  const { path, connect, close } = temporaryDatabase();
  try {
    const write = (writer: string) =>
      promisify(execFile)(process.execPath, ['--conditions=@keepsake/source', program, path, writer]);
    await Promise.all(['a', 'b'].map(write));

    const counter = await new SqliteStore({ client: connect(), name: 'shared' }).get('counter');
    expect(putCount(counter?.version ?? 0)).toBe(100);
    const items = await new SqliteSession({ client: connect(), sessionId: 'shared' }).getItems();
    for (const [index, { writer, part }] of items.entries()) {
      if (part === 2) expect(items[index - 1]).toMatchObject({ writer, part: 1 });
    }
    for (const name of ['a', 'b']) {
      expect(items.filter(({ writer }) => writer === name).map(({ batch, part }) => [batch, part])).toEqual(
        Array.from({ length: 100 }, (_, index) => [Math.floor(index / 2), (index % 2) + 1]),
      );
    }
  } finally {
    close();
  }
});
