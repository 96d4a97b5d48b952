import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import type { PingedServer } from '../scale/backend.ts';

/* A thread that asks a server again and again, until it is told to stop. Then it says how long the longest answer took. */

const { ping, close } = await connect(workerData as PingedServer);
let isRunning = true;
parentPort?.once('message', () => {
  isRunning = false;
});
await ping();
parentPort?.postMessage('ready');
let longest = 0;
while (isRunning) {
  const start = performance.now();
  await ping();
  longest = Math.max(longest, performance.now() - start);
  await sleep(1);
}
await close();
parentPort?.postMessage(longest * 1_000);

async function connect({ kind, url }: PingedServer) {
  if (kind === 'redis') {
    const redis = new Redis(url);
    return { ping: () => redis.ping(), close: async () => redis.disconnect() };
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  return { ping: () => client.query('SELECT 1'), close: () => client.end() };
}
