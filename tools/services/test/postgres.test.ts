import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type PostgresServer, startPostgres } from '../src/index.ts';
import { createData } from '../src/postgres-data.ts';
import { npmPrograms, pathPrograms, postgresPrograms } from '../src/postgres-programs.ts';
import { unprivilegedUser } from '../src/unprivileged-user.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { listens } from './until.ts';

beforeEach(() => void vi.stubEnv('DATABASE_URL', ''));
afterEach(() => void vi.unstubAllEnvs());

/** The rows that a statement returns, without the names of their columns. */
async function query(url: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    return (await client.query({ text, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

describe('a new server', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({ own: true });
  });
  afterAll(() => server.stop());

  it('is PostgreSQL 18 from npm on its host and port', async () => {
    expect(new URL(server.url).host).toBe(`${server.host}:${server.port}`);
    expect(await query(server.url, 'SHOW server_version')).toEqual([expect.stringMatching(/^18\./)]);
  });

  it('creates isolated databases', async () => {
    const urls = [server.url, ...(await Promise.all([server.createDatabase(), server.createDatabase()]))];
    await Promise.all(urls.map((url, index) => query(url, `CREATE TABLE shared AS SELECT ${index} AS value`)));
    expect(await Promise.all(urls.map((url) => query(url, 'SELECT value FROM shared')))).toEqual([[0], [1], [2]]);
  });

  it('sorts text as in English', async () => {
    const words = `SELECT word FROM (VALUES ('b'), ('A'), ('a'), ('B'), ('ä')) AS words (word) ORDER BY word`;
    expect(await query(server.url, words)).toEqual(['a', 'A', 'ä', 'b', 'B']);
  });

  it('keeps committed data after a kill and after a clean restart', async () => {
    const url = await server.createDatabase();
    await query(url, 'CREATE TABLE kept AS SELECT 1 AS value');
    await server.kill();
    expect(await listens(server.port)).toBe(false);
    await server.restart();
    await query(url, 'INSERT INTO kept VALUES (2)');
    await server.restart();
    expect(await query(url, 'SELECT value FROM kept ORDER BY value')).toEqual([1, 2]);
  });

  it('waits for the disk only on request, and stop removes it with its folder', async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o1777);
    vi.stubEnv('TMPDIR', folder);
    const durable = await startPostgres({ fsync: true, args: ['-c', 'max_connections=7'] });
    expect(await query(server.url, 'SHOW fsync')).toEqual(['off']);
    expect(await query(durable.url, 'SHOW fsync')).toEqual(['on']);
    expect(await query(durable.url, 'SHOW max_connections')).toEqual(['7']);
    expect(readdirSync(folder)).toHaveLength(1);
    await durable.stop();
    expect(readdirSync(folder)).toEqual([]);
    expect(await listens(durable.port)).toBe(false);
  });

  it('reports why it did not start with the last lines of its log, and leaves nothing behind', async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o1777);
    vi.stubEnv('TMPDIR', folder);
    await expect(startPostgres({ args: ['-c', 'max_connections=many'] })).rejects.toThrow(
      /^postgres ended before it was ready \(1\)\. Its last lines:\n(.|\n)*max_connections/,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  describe('the server of DATABASE_URL', () => {
    const databases = () => query(server.url, 'SELECT datname FROM pg_database ORDER BY datname');

    it('lends databases, which stop drops even if they are in use, without touching others', async () => {
      const before = await databases();
      vi.stubEnv('DATABASE_URL', server.url);
      const borrowed = await startPostgres();
      const client = new Client({ connectionString: await borrowed.createDatabase() });
      client.on('error', () => {});
      await client.connect();
      expect(borrowed.port).toBe(server.port);
      expect(await query(borrowed.url, 'SELECT 1')).toEqual([1]);
      expect(await databases()).toHaveLength(before.length + 2);
      await borrowed.stop();
      expect(await databases()).toEqual(before);
    });

    it('is neither killed nor restarted', async () => {
      vi.stubEnv('DATABASE_URL', server.url);
      const borrowed = await startPostgres();
      await expect(borrowed.kill()).rejects.toThrow('startPostgres({ own: true })');
      await expect(borrowed.restart()).rejects.toThrow('startPostgres({ own: true })');
      await borrowed.stop();
    });

    it('reports that no server is running', async () => {
      vi.stubEnv('DATABASE_URL', 'postgres://somebody:secret@127.0.0.1:1/database');
      const started = startPostgres();
      await expect(started).rejects.toThrow('DATABASE_URL must name a running server');
      await expect(started).rejects.not.toThrow('secret');
    });
  });
});

describe('the data folder', () => {
  it('is made once for each version and then copied', async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o1777);
    const script =
      'echo "$@" >> calls\n[ "$1" = --version ] && cat version || { mkdir -m 700 "$2" && cp version "$2"; }';
    writeFileSync(join(folder, 'initdb'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    writeFileSync(join(folder, 'calls'), '', { mode: 0o666 });
    chmodSync(join(folder, 'calls'), 0o666);
    const made: string[] = [];
    for (const [n, version] of ['18.1', '18.1', '18.2', '18.1'].entries()) {
      writeFileSync(join(folder, 'version'), version);
      const data = join(folder, `data${n}`);
      await createData(data, folder, unprivilegedUser(), join(folder, 'cache'));
      made.push(readFileSync(join(data, 'version'), 'utf8'));
      expect(statSync(data).mode & 0o777).toBe(0o700);
    }
    expect(made).toEqual(['18.1', '18.1', '18.2', '18.1']);
    const calls = readFileSync(join(folder, 'calls'), 'utf8').split('\n');
    expect(calls.filter((call) => call.startsWith('-D'))).toHaveLength(2);
    expect(readdirSync(join(folder, 'cache'))).toHaveLength(2);
  });
});

describe('the programs', () => {
  it('are those on the PATH if npm installed none', async () => {
    const [npms = ''] = await npmPrograms();
    vi.stubEnv('PATH', npms);
    const none = async () => [];
    expect(await postgresPrograms(temporaryFolder(), undefined, [none, pathPrograms])).toBe(npms);
  });

  it('are copied if the user cannot access their folder', async () => {
    const user = unprivilegedUser();
    const hidden = join(temporaryFolder(), 'hidden');
    for (const name of ['initdb', 'postgres']) {
      mkdirSync(join(hidden, 'bin'), { recursive: true });
      writeFileSync(join(hidden, 'bin', name), `#!/bin/sh\necho ${name} 18.1\n`, { mode: 0o755 });
    }
    symlinkSync('bin', join(hidden, 'link'));
    chmodSync(hidden, 0o700);
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const found = await postgresPrograms(folder, user, [async () => [join(hidden, 'bin')]]);
    expect(found).toBe(user === undefined ? join(hidden, 'bin') : join(folder, 'programs/bin'));
    expect(readlinkSync(join(dirname(found), 'link'))).toBe('bin');
    const version = execFileSync(join(found, 'initdb'), ['--version'], { cwd: folder, encoding: 'utf8', ...user });
    expect(version).toBe('initdb 18.1\n');
  });

  it('of npm run after they were copied', { tags: ['nightly'] }, async () => {
    const user = unprivilegedUser();
    const [npms = ''] = await npmPrograms();
    const hidden = join(temporaryFolder(), 'hidden');
    cpSync(dirname(npms), hidden, { recursive: true, verbatimSymlinks: true });
    chmodSync(hidden, 0o700);
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const found = await postgresPrograms(folder, user, [async () => [join(hidden, 'bin')]]);
    expect(found).toBe(user === undefined ? join(hidden, 'bin') : join(folder, 'programs/bin'));
    const version = execFileSync(join(found, 'initdb'), ['--version'], { cwd: folder, encoding: 'utf8', ...user });
    expect(version).toContain('18.');
  });

  it('are skipped if they do not run, and the error tells how to install them', async () => {
    const broken = temporaryFolder();
    mkdirSync(join(broken, 'postgres'));
    const found = postgresPrograms(temporaryFolder(), undefined, [async () => [broken]]);
    await expect(found).rejects.toThrow(/PostgreSQL not found.*npm ci.*apt-get install postgresql.*DATABASE_URL/s);
    const [npms = ''] = await npmPrograms();
    expect(await postgresPrograms(temporaryFolder(), undefined, [async () => [broken, npms]])).toBe(npms);
  });
});
