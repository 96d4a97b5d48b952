import { DatabaseSync } from 'node:sqlite';
import { expectToForgetOperations } from '@keepsake/suites/sessions/operation-ids';
import { expect, it } from 'vitest';
import { SqliteSession } from '../src/index.ts';
import { newFile } from './temporary-file.ts';

it('operations are forgotten after 30 days, but not the latest 1,000 and as many as there are items', async () => {
  const file = newFile();
  await expectToForgetOperations(new SqliteSession({ file, durability: 'os' }));
  const database = new DatabaseSync(file);
  const known = database.prepare('SELECT count(*) AS count FROM keepsake_operations').get();
  expect(Number(known?.count)).toBeLessThan(1_110);
  database.close();
});
