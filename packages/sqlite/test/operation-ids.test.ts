import { DatabaseSync } from 'node:sqlite';
import { OPERATION_IDS } from '@keepsake/core/adapter';
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

it('operations of tables of version 1 count as applied when the tables are brought to the current version', async () => {
  const file = newFile();
  const operate = (n: number) =>
    new SqliteSession({ file, sessionId: 'chat', durability: 'os' }).applyHistoryTransaction({
      operationId: `${n}`,
      transaction: { type: 'append_items', items: [] },
    });
  for (let n = 0; n < 1_000; n++) await operate(n);
  const database = new DatabaseSync(file);
  database.exec(`
    DROP TABLE keepsake_indexed_fields;
    DROP TABLE keepsake_cleared;
    ALTER TABLE keepsake_operations DROP COLUMN applied_ms;
    ALTER TABLE keepsake_schema DROP COLUMN cursor_secret;
    UPDATE keepsake_schema SET version = 1;
  `);
  // Another path to the file, so that it is opened like a new one.
  const reopened = new SqliteSession({ file: `${file}`, sessionId: 'chat', durability: 'sync' });
  const before = Date.now() - 1_000;
  await reopened.applyHistoryTransaction({ operationId: '1000', transaction: { type: 'append_items', items: [] } });
  for (let n = 1_001; n < 1_200; n++) await operate(n);
  const ages = database.prepare('SELECT count(*) AS count, min(applied_ms) AS oldest FROM keepsake_operations').get();
  expect(ages?.count).toBe(1_200);
  expect(Number(ages?.oldest)).toBeGreaterThan(before);
  expect(Number(ages?.oldest)).toBeLessThan(before + OPERATION_IDS.keepMs);
  database.close();
});
