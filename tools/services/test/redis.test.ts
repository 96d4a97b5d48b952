import { readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type RedisOptions, type RedisServer, startRedis } from '../src/index.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { listens } from './until.ts';

beforeEach(() => void vi.stubEnv('REDIS_URL', ''));
afterEach(() => void vi.unstubAllEnvs());

async function started(options?: RedisOptions): Promise<RedisServer> {
  const server = await startRedis(options);
  onTestFinished(() => server.stop());
  return server;
}

function clientOf({ url }: { url: string }): Redis {
  const client = new Redis(url);
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  return client;
}

describe('a new server', () => {
  it('is reachable by its url, host and port', async () => {
    const { url, host, port } = await started();
    expect(url).toBe(`redis://${host}:${port}`);
    expect(host).toBe('127.0.0.1');
    expect(await clientOf({ url }).ping()).toBe('PONG');
  });

  it('shares nothing with others that start at the same time', async () => {
    const servers = await Promise.all(Array.from({ length: 6 }, () => started()));
    expect(new Set(servers.map(({ port }) => port)).size).toBe(6);
    const clients = servers.map(clientOf);
    await Promise.all(clients.map((client, index) => client.set('key', index)));
    expect(await Promise.all(clients.map((client) => client.get('key')))).toEqual(['0', '1', '2', '3', '4', '5']);
  });

  it('keeps acknowledged writes after a kill, with appendOnly always', async () => {
    const server = await started({ appendOnly: 'always' });
    expect(await clientOf(server).set('key', 'value')).toBe('OK');
    await server.kill();
    expect(await listens(server.port)).toBe(false);
    await server.restart();
    expect(await clientOf(server).get('key')).toBe('value');
  });

  it('keeps writes after a clean restart, with appendOnly everysec', async () => {
    const server = await started({ appendOnly: 'everysec' });
    await clientOf(server).set('key', 'value');
    await server.restart();
    expect(await clientOf(server).get('key')).toBe('value');
    expect(await clientOf(server).config('GET', 'appendfsync')).toEqual(['appendfsync', 'everysec']);
  });

  it('loses all data in a restart without an append-only file', async () => {
    const server = await started();
    await clientOf(server).set('key', 'value');
    await server.restart();
    expect(await clientOf(server).dbsize()).toBe(0);
  });

  it('passes its arguments on', async () => {
    const server = await started({ args: ['--maxmemory', '10mb'] });
    expect(await clientOf(server).config('GET', 'maxmemory')).toEqual(['maxmemory', `${10 * 1024 * 1024}`]);
  });

  it('is gone after stop, with its folder, even if it was killed before', async () => {
    const folder = temporaryFolder();
    vi.stubEnv('TMPDIR', folder);
    const [running, killed] = await Promise.all([startRedis(), startRedis({ appendOnly: 'always' })]);
    await killed.kill();
    expect(readdirSync(folder)).toHaveLength(2);
    await Promise.all([running.stop(), killed.stop()]);
    expect(readdirSync(folder)).toEqual([]);
    expect(await listens(running.port)).toBe(false);
  });

  it('reports why it did not start with the last lines of its log, and leaves nothing behind', async () => {
    const folder = temporaryFolder();
    vi.stubEnv('TMPDIR', folder);
    await expect(startRedis({ args: ['--maxmemory', 'lots'] })).rejects.toThrow(
      /^(redis|valkey)-server ended before it was ready \(1\)\. Its last lines:\n(.|\n)*maxmemory/,
    );
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a server of REDIS_URL', () => {
  async function given(options: RedisOptions = { own: true }) {
    const server = await started(options);
    const client = clientOf(server);
    await client.set('theirs', 'value');
    vi.stubEnv('REDIS_URL', server.url);
    return { server, client };
  }

  it('lends each test an empty database, which stop empties, without touching others', async () => {
    const { server, client } = await given();
    await clientOf({ url: `${server.url}/2` }).set('theirs too', 'value');
    const [one, other] = await Promise.all([startRedis(), startRedis()]);
    expect([one.port, other.port]).toEqual([server.port, server.port]);
    expect([one.url, other.url].sort()).toEqual([`${server.url}/1`, `${server.url}/3`]);
    expect(await clientOf(one).dbsize()).toBe(0);
    await clientOf(one).set('key', 'value');
    expect(await clientOf(other).dbsize()).toBe(0);
    await one.stop();
    expect(await clientOf(one).dbsize()).toBe(0);
    await other.stop();
    expect(await client.keys('*')).toEqual(['theirs']);
    expect(await clientOf({ url: `${server.url}/2` }).get('theirs too')).toBe('value');
    expect((await started()).url).toBe(`${server.url}/1`);
  });

  it('is neither killed nor restarted', async () => {
    const { client } = await given();
    const server = await started();
    await expect(server.kill()).rejects.toThrow('startRedis({ own: true })');
    await expect(server.restart()).rejects.toThrow('startRedis({ own: true })');
    expect(await client.get('theirs')).toBe('value');
  });

  it('is not used if a test needs more than an empty database', async () => {
    const { server } = await given();
    const servers = await Promise.all([
      started({ own: true }),
      started({ appendOnly: false }),
      started({ args: ['--maxmemory', '10mb'] }),
    ]);
    expect(servers.map(({ port }) => port)).not.toContain(server.port);
  });

  it('reports that no database is empty or no server is running, and keeps no claim', async () => {
    const { server, client } = await given({ args: ['--databases', '1'] });
    await expect(startRedis()).rejects.toThrow('REDIS_URL must name a running server with an empty database');
    expect(await client.keys('*')).toEqual(['theirs']);
    await server.kill();
    await expect(startRedis()).rejects.toThrow('REDIS_URL must name a running server with an empty database');
  });
});

describe('the program', () => {
  /** A PATH with only one name of the installed server. */
  async function pathWith(name: string): Promise<void> {
    const { findProgram } = await import('../src/find-program.ts');
    const program = findProgram('redis-server', 'valkey-server') ?? 'no server';
    const folder = temporaryFolder();
    symlinkSync(realpathSync(program), `${folder}/${name}`);
    vi.stubEnv('PATH', folder);
  }

  it.each(['redis-server', 'valkey-server', 'redis-check-rdb'])('can be named %s', async (name) => {
    await pathWith(name);
    expect(await clientOf(await started()).ping()).toBe('PONG');
  });
});
