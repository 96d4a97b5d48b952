import { refusesUnknownOptions } from '@keepsake/testing';
import { expect, it } from 'vitest';
import { type PostgresClient, PostgresSession, PostgresSessionStore, PostgresStore } from '../src/index.ts';

const nothing = () => Promise.reject(new Error('Nothing must be sent.'));
const client: PostgresClient = { query: nothing };

refusesUnknownOptions([
  ['new PostgresSession', (options) => new PostgresSession(options), { client, sessionID: 'a' }, 'sessionId'],
  ['new PostgresSessionStore', (options) => new PostgresSessionStore(options), { client, ttlMS: 1 }, 'ttlMs'],
  ['new PostgresStore', (options) => new PostgresStore(options), { client, name: 'a', Schema: 'user' }, 'schema'],
]);

const openers = [
  (options: object) => new PostgresSession(options as { client: PostgresClient }),
  (options: object) => new PostgresSessionStore(options as { client: PostgresClient }),
  (options: object) => new PostgresStore({ ...(options as { client: PostgresClient }), name: 'memory' }),
];

it.each([
  ['no client', {}, 'client'],
  ['null', { client: null }, 'client'],
  ['a Prisma Client', { client: { $queryRawUnsafe: nothing, $executeRawUnsafe: nothing } }, 'client'],
  ['a database of Drizzle', { client: { query: {}, execute: nothing, $client: client } }, 'db.$client'],
  ['an empty schema', { client, schema: '' }, '`schema` must be the name of a schema.'],
  ['null as schema', { client, schema: null }, '`schema` must be the name of a schema.'],
  ['a number for `prepare`', { client, prepare: 1 }, '`prepare` must be a boolean.'],
])('the constructors reject %s', (_, options, message) => {
  for (const open of openers) {
    expect(() => open(options)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    expect(() => open(options)).toThrow(message);
  }
});
