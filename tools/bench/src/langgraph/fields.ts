import { join } from 'node:path';
import { FileStore } from '@keepsake/file';
import { InMemoryStore } from '@keepsake/in-memory';
import { KeepsakeSaver } from '@keepsake/langgraph';
import { PostgresStore } from '@keepsake/postgres';
import { RedisStore } from '@keepsake/redis';
import { startRedis } from '@keepsake/services';
import { SqliteStore } from '@keepsake/sqlite';
import { type BaseCheckpointSaver, MemorySaver } from '@langchain/langgraph-checkpoint';
import { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { importPeer } from '../peers.ts';
import { openPostgres } from '../prisma/databases.ts';
import type { SaverField, SaverKind } from './saver-kind.ts';

/** A field whose server, if any, runs until it is closed. */
export interface OpenField extends SaverField {
  close(): Promise<void>;
}

/** Each opens its servers, because they run only while they are measured. */
export const FIELDS: readonly ((directory: string) => Promise<OpenField>)[] = [
  inMemory,
  files,
  sqlite,
  redis,
  () => postgres('PostgreSQL', false),
  () => postgres('PostgreSQL, prepared', true),
];

async function inMemory(): Promise<OpenField> {
  const memorySaver: SaverKind = { name: 'MemorySaver', open: async () => new MemorySaver() };
  const keepsake = keepsakeOn(new InMemoryStore({ name: 'bench' }));
  return { backend: 'in memory', keepsake, peers: [memorySaver], close: async () => {} };
}

async function files(directory: string): Promise<OpenField> {
  const store = new FileStore({ directory: join(directory, 'files'), name: 'bench' });
  return { backend: 'files', keepsake: keepsakeOn(store), peers: [], close: () => store.close() };
}

async function sqlite(directory: string): Promise<OpenField> {
  const store = new SqliteStore({ file: join(directory, 'bench.db'), name: 'bench' });
  return { backend: 'SQLite', keepsake: keepsakeOn(store), peers: [], close: () => store.close() };
}

async function redis(): Promise<OpenField> {
  const server = await startRedis({ own: true });
  const client = new Redis(server.url);
  const close = async () => {
    client.disconnect();
    await server.stop();
  };
  return { backend: 'Redis', keepsake: keepsakeOn(new RedisStore({ client, name: 'bench' })), peers: [], close };
}

interface Module {
  readonly PostgresSaver: new (pool: Pool) => BaseCheckpointSaver & { setup(): Promise<void> };
}

/** Through the same driver as the peer. With `prepare`, each statement of Keepsake is planned once a connection. */
async function postgres(backend: string, prepare: boolean): Promise<OpenField> {
  const database = await openPostgres();
  const postgresSaver: SaverKind = {
    name: 'PostgresSaver',
    async open() {
      const { PostgresSaver }: Module = await importPeer('@langchain/langgraph-checkpoint-postgres');
      const saver = new PostgresSaver(database.pool);
      await saver.setup();
      return saver;
    },
  };
  const keepsake = keepsakeOn(new PostgresStore({ client: database.pool, name: 'bench', prepare }));
  return { backend, keepsake, peers: [postgresSaver], close: () => database.close() };
}

function keepsakeOn(store: ConstructorParameters<typeof KeepsakeSaver>[0]['store']): SaverKind {
  return { name: 'KeepsakeSaver', open: async () => new KeepsakeSaver({ store }) };
}
