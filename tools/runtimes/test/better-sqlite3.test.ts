import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installApart } from '@keepsake/testing/install-apart';
import { expect, it } from 'vitest';
import { runCases } from '../src/cases.ts';
import { sqliteOn } from './kits/backends.ts';

it('@keepsake/sqlite passes the whole kit on better-sqlite3', { tags: ['nightly'] }, async () => {
  const modules = await installApart(join(import.meta.dirname, '../better-sqlite3'));
  const Database = createRequire(join(modules, 'x.js'))('better-sqlite3') as new (file: string) => object;
  const { passed, failures } = await runCases(sqliteOn('better-sqlite3', () => new Database(':memory:')));
  expect(failures).toEqual([]);
  expect(passed).toBeGreaterThan(600);
});
