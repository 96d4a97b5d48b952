/**
 * A web app with memory, and two users who talk to it:
 *
 *   npm start -w examples/prisma-web
 *
 * It uses SQLite, or the PostgreSQL database in DATABASE_URL. With `--serve PORT`, it waits for your requests instead.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { createApp } from './app.ts';
import { openDatabase } from './database.ts';

const TALK = [
  ['POST', 'alice', 'I have moved to Lisbon.'],
  ['POST', 'bob', 'My bike is behind the bakery.'],
  ['POST', 'alice', 'Where have I moved?'],
  ['POST', 'alice', 'Where is the bike?'],
  ['GET', 'bob', ''],
  ['DELETE', 'alice', ''],
  ['POST', 'alice', 'Where have I moved?'],
] as const;

const { values } = parseArgs({ options: { serve: { type: 'string' } } });
const database = await openDatabase(process.env.DATABASE_URL);
const app = createApp(database.prisma);
app.listen(Number(values.serve ?? 0), '127.0.0.1');
await once(app, 'listening');
const url = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
console.log(`On ${database.name}.`);

if (values.serve === undefined) {
  for (const [method, user, said] of TALK) {
    const body = method === 'POST' ? { body: said } : {};
    const response = await fetch(`${url}/${user}`, { method, ...body, headers: { connection: 'close' } });
    console.log(`${method} /${user} ${said}\n  ${(await response.text()).replaceAll('\n', '\n  ')}`);
  }
} else {
  console.log(`curl -d 'I like tea.' ${url}/alice`);
  await once(process, 'SIGINT');
}
app.close();
await database.stop();
