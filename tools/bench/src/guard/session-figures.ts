import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { startRedis } from '@keepsake/services';
import { Redis } from 'ioredis';
import type { RunOptions } from '../area.ts';
import { appending, reading } from '../backends/session-contenders.ts';
import { openPostgres } from '../prisma/databases.ts';
import { createRawItems, postgresKindsThroughPrisma } from '../prisma/session-kinds.ts';
import { sessionKinds as redisKinds } from '../redis/session-kinds.ts';
import { inFiles, rawAppendFileSync } from '../sessions/kinds.ts';
import type { Field } from '../sessions/session-kind.ts';
import { sessionKinds as sqliteKinds } from '../sqlite/session-kinds.ts';
import type { GuardScale } from './guard-scale.ts';
import { compareSpeeds } from './interleaved.ts';
import type { Measured } from './judge.ts';

const APPEND = ['append', appending] as const;
const READ = ['newest 20', reading] as const;

/** Appends to sessions and reads their newest items, in wall time. Nothing waits for the disk, which would hide the rest. */
export async function sessionFigures(
  { items, operations }: GuardScale,
  directory: string,
  say: RunOptions['say'],
): Promise<Measured[]> {
  const figuresOf = async (
    backend: string,
    { raw, keepsake }: Field,
    actions: readonly (typeof APPEND | typeof READ)[],
  ) => {
    const figures: Measured[] = [];
    for (const [action, contender] of actions) {
      const figure = `${backend}, ${action}`;
      say(figure);
      const work = () => ({ place: mkdtempSync(join(directory, 'session-')), items, times: 1 });
      const pair = { keepsake: await contender(keepsake, work()), other: await contender(raw, work()) };
      figures.push({ figure, ratios: await compareSpeeds(pair, operations) });
    }
    return figures;
  };
  const both = [APPEND, READ];
  return [
    ...(await figuresOf('file', { ...inFiles, raw: rawAppendFileSync }, both)),
    ...(await figuresOf('SQLite', sqliteKinds('os'), [APPEND])),
    ...(await onRedis((field) => figuresOf('Redis', field, both))),
    ...(await onPostgres((field) => figuresOf('PostgreSQL', field, both))),
  ];
}

async function onRedis(measure: (field: Field) => Promise<Measured[]>): Promise<Measured[]> {
  const server = await startRedis({ own: true });
  const client = new Redis(server.url);
  try {
    return await measure(redisKinds(client));
  } finally {
    client.disconnect();
    await server.stop();
  }
}

async function onPostgres(measure: (field: Field) => Promise<Measured[]>): Promise<Measured[]> {
  const database = await openPostgres({ fsync: false });
  try {
    await createRawItems(database);
    return await measure(postgresKindsThroughPrisma(database));
  } finally {
    await database.close();
  }
}
