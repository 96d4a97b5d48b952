import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type PostgresServer, type RedisServer, startPostgres, startRedis } from '@keepsake/services';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { KitResult } from '../src/cases.ts';
import { bundle, findBun, findDeno } from '../src/index.ts';

const MODULES = join(import.meta.dirname, '../../../node_modules');

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
    ['Bun', 'backends of one machine', findBun, BUN, 'bun.ts', 4],
    ['Bun', 'backends on servers', findBun, BUN, 'servers.ts', 3],
    ['Deno', 'backends of one machine', findDeno, DENO, 'deno.ts', 3],
    ['Deno', 'backends on servers', findDeno, DENO, 'servers.ts', 3],
  ] as const)('in %s, %s pass the whole kit', { timeout: 1_200_000 }, async (_, __, find, args, kits, count) => {
    const folder = await mkdtemp(join(tmpdir(), 'keepsake-runtimes-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const program = join(folder, 'kits.mjs');
    // Drivers are not bundled: a runtime can get files of its own from them.
    const code = await bundle(join(import.meta.dirname, 'kits', kits), ['ioredis', 'pg', 'postgres']);
    await writeFile(program, code);
    await symlink(MODULES, join(folder, 'node_modules'), 'junction');
    const { stdout } = await promisify(execFile)(await find(), [...args, program], {
      cwd: folder,
      env: {
        ...process.env,
        PG_URL: await postgres.createDatabase(),
        POSTGRES_JS_URL: await postgres.createDatabase(),
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
