import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { startProxy, startRedis, type TcpProxy } from '../src/index.ts';
import { listens, until } from './until.ts';

let received = '';
let proxy: TcpProxy;

/** A server that responds in capitals, behind a proxy. */
beforeEach(async () => {
  received = '';
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      received += bytes;
      socket.write(String(bytes).toUpperCase());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  proxy = await startProxy({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  onTestFinished(() => proxy.stop());
});

/** A connection through the proxy and the data it received. */
interface Client {
  readonly socket: Socket;
  readonly closed: Promise<unknown>;
  text(): string;
}

async function client(): Promise<Client> {
  let text = '';
  const socket = connect(proxy.port, proxy.host);
  socket.on('data', (bytes) => {
    text += bytes;
  });
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  return { socket, closed, text: () => text };
}

/** Writes and waits for the response. */
async function ask({ socket, text }: Client, question: string): Promise<void> {
  const all = text() + question.toUpperCase();
  socket.write(question);
  await until(() => text() === all);
}

it('a proxy passes on the data of both sides and how the connection ends', async () => {
  const one = await client();
  const other = await client();
  await Promise.all([ask(one, 'one'), ask(other, 'other')]);
  one.socket.end('last');
  await one.closed;
  expect(one.text()).toBe('ONELAST');
  await ask(other, 'still there');
});

it('a proxy cuts all connections and accepts new ones', async () => {
  const links = await Promise.all([client(), client()]);
  for (const link of links) await ask(link, 'one');
  proxy.cut();
  await Promise.all(links.map(({ closed }) => closed));
  await ask(await client(), 'two');
});

it.each([
  { point: 'request', reaches: 'before ', comes: 'BEFORE ' },
  { point: 'reply', reaches: 'before asked', comes: 'BEFORE ' },
  { point: 'half-reply', reaches: 'before asked', comes: 'BEFORE AS' },
] as const)('a proxy cuts once at the next $point', async ({ point, reaches, comes }) => {
  const asks = await client();
  const idle = await client();
  await ask(asks, 'before ');
  const cut = proxy.cutAt(point);
  asks.socket.write('asked');
  await Promise.all([cut, asks.closed, idle.closed]);
  expect({ reaches: received, comes: asks.text() }).toEqual({ reaches, comes });
  await ask(await client(), 'after');
});

it('a proxy cuts at the request that contains a text', async () => {
  const one = await client();
  const cut = proxy.cutAt('reply', 'COMMIT');
  await ask(one, 'BEGIN');
  await ask(await client(), 'INSERT');
  one.socket.write('COMMIT');
  await Promise.all([cut, one.closed]);
  expect(received).toBe('BEGININSERTCOMMIT');
  expect(one.text()).toBe('BEGIN');
});

it('a proxy holds back data while it is paused, also on new connections', async () => {
  const old = await client();
  await ask(old, 'before');
  proxy.pause();
  const recent = await client();
  old.socket.write('old');
  recent.socket.write('recent');
  for (let turns = 0; turns < 100; turns++) await turn();
  expect([received, old.text(), recent.text()]).toEqual(['before', 'BEFORE', '']);
  proxy.resume();
  await until(() => old.text() === 'BEFOREOLD' && recent.text() === 'RECENT');
});

it('a proxy is gone after stop, with its connections', async () => {
  const link = await client();
  await proxy.stop();
  await link.closed;
  expect(await listens(proxy.port)).toBe(false);
});

it('a proxy keeps running while its server is down', async () => {
  const redis = await startRedis({ own: true });
  onTestFinished(() => redis.stop());
  const between = await startProxy(redis);
  onTestFinished(() => between.stop());
  await redis.kill();
  const early = connect(between.port, between.host);
  early.on('error', () => {});
  await once(early, 'close');
  await redis.restart();
  const late = new Redis(between.port, between.host);
  onTestFinished(() => late.disconnect());
  expect(await late.ping()).toBe('PONG');
});

it('a write through a proxy succeeds although its response never arrives', async () => {
  const redis = await startRedis({ own: true });
  onTestFinished(() => redis.stop());
  const between = await startProxy(redis);
  onTestFinished(() => between.stop());
  const through = new Redis(between.port, between.host, { retryStrategy: () => null });
  through.on('error', () => {});
  await through.ping();
  const cut = between.cutAt('reply', 'rpush');
  await expect(through.rpush('list', 'item')).rejects.toThrow();
  await cut;
  const direct = new Redis(redis.url);
  onTestFinished(() => direct.disconnect());
  expect(await direct.lrange('list', 0, -1)).toEqual(['item']);
});
