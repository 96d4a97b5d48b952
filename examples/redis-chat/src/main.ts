/**
 * A chat server with two processes, which take turns to answer messages:
 *
 *   npm start -w examples/redis-chat
 *
 * It uses the Redis at REDIS_URL, or starts one.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startRedis } from '@keepsake/services';

const MESSAGES = [
  ['alice', 'I have moved to Lisbon.'],
  ['bob', 'My bike is behind the bakery.'],
  ['alice', 'My sister Runa keeps bees.'],
  ['alice', 'Where have I moved?'],
  ['bob', 'Where is my bike?'],
  ['bob', 'What does Runa keep?'],
] as const;

const redis = await startRedis();
const servers = [await startServer(), await startServer()] as const;
try {
  for (const [n, [user, text]] of MESSAGES.entries()) {
    const { child, port } = servers[n % 2] as (typeof servers)[number];
    const response = await fetch(`http://127.0.0.1:${port}/${user}`, { method: 'POST', body: text });
    console.log(`${user}: ${text}\n  process ${child.pid}: ${await response.text()}`);
  }
} finally {
  for (const { child } of servers) child.kill();
  await redis.stop();
}

async function startServer(): Promise<{ readonly child: ChildProcess; readonly port: string }> {
  const node = [...process.execArgv, fileURLToPath(new URL('server.ts', import.meta.url)), redis.url];
  const child = spawn(process.execPath, node, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const port of createInterface(child.stdout)) return { child, port };
  throw new Error('The server exited before it listened.');
}
