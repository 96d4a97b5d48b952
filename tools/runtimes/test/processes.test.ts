import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type PostgresServer, type RedisServer, startPostgres, startRedis } from '@keepsake/services';
import { migrateSqlite } from '@keepsake/services/prisma';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { KitResult } from '../src/cases.ts';
import { bundle, findBun, findDeno } from '../src/index.ts';

const ROOT = join(import.meta.dirname, '../../..');

const BUN = ['run'];
const DENO = ['run', '--allow-all', '--no-config', '--node-modules-dir=manual'];

describe('beside Node.js', { tags: ['nightly'] }, () => {
  let postgres: PostgresServer;
  let redis: RedisServer;

  beforeAll(async () => {
    [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  });
  afterAll(async () => {
    await Promise.all([postgres.stop(), redis.stop()]);
  });

  it.each([
    ['Bun', 'backends without drivers from npm', findBun, BUN, 'bun.ts', 4],
    ['Bun', 'backends with drivers from npm', findBun, BUN, 'drivers.ts', 5],
    ['Deno', 'backends without drivers from npm', findDeno, DENO, 'deno.ts', 3],
    ['Deno', 'backends with drivers from npm', findDeno, DENO, 'drivers.ts', 5],
  ] as const)('in %s, %s pass the whole kit', { timeout: 1_200_000 }, async (_, __, find, args, kits, count) => {
    const folder = await mkdtemp(join(tmpdir(), 'keepsake-runtimes-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const program = join(folder, 'kits.mjs');
    // Drivers are not bundled: a runtime can get files of its own from them.
    const code = await bundle(join(import.meta.dirname, 'kits', kits), ['ioredis', 'pg', 'postgres']);
    await writeFile(program, code);
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
    const sqlite = join(folder, 'prisma.db');
    await migrateSqlite(sqlite);
    const { stdout } = await promisify(execFile)(await find(), [...args, program], {
      cwd: folder,
      env: {
        ...process.env,
        PG_URL: await postgres.createDatabase(),
        POSTGRES_JS_URL: await postgres.createDatabase(),
        SQLITE_URL: `file:${sqlite}`,
        PRISMA_CLIENTS: pathToFileURL(join(ROOT, 'packages/prisma/test/connect-to.ts')).href,
        REDIS_URL: redis.url,
        // A checkpoint in the background can create files again after its case.
        TMPDIR: folder,
        // Nothing asks for updates.
        DENO_NO_UPDATE_CHECK: '1',
        DO_NOT_TRACK: '1',
      },
      maxBuffer: 2 ** 26,
    });
    const results = stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line): KitResult => JSON.parse(line));
    expect(results.flatMap(({ failures }) => failures)).toEqual([]);
    expect(results).toHaveLength(count);
    for (const { backend, passed } of results) expect(passed, backend).toBeGreaterThan(600);
  });
});
