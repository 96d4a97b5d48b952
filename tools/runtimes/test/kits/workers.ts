import { DurableObject } from 'cloudflare:workers';
import { type DurableObjectDatabase, SqliteSession, SqliteSessionStore, SqliteStore } from '@keepsake/sqlite';
import { collectCases, runCases } from '../../src/cases.ts';
import { inMemory } from './in-memory.ts';

/** That of the Durable Object of the case that runs. */
let database: DurableObjectDatabase = {
  sql: { exec: () => ({ toArray: () => [] }) },
  transactionSync: (work) => work(),
};

// Not made at the top: there, a Worker may not make the random numbers of ids.
const backend = () => ({
  name: 'sqlite in a Durable Object',
  capabilities: new SqliteStore({ database, name: 'memory' }).capabilities,
  // The limit of Cloudflare for a value is 2 MB.
  itemBytes: 2_000_000,
  place: () => ({
    store: (options?: object) => new SqliteStore({ database, name: 'memory', ...options }),
    session: (sessionId?: string) => new SqliteSession({ database, sessionId }),
    sessions: () => new SqliteSessionStore({ database }),
  }),
});

/** Runs one case, in a database of its own. */
export class KitObject extends DurableObject {
  async run(number: number): Promise<void> {
    database = this.ctx.storage;
    await collectCases(backend()).cases[number]?.run();
  }
}

interface Environment {
  readonly OBJECTS: { getByName(name: string): Pick<KitObject, 'run'> };
}

export default {
  /** Runs the whole kit, for the backend that the path names. */
  async fetch({ url }: Request, { OBJECTS }: Environment): Promise<Response> {
    if (new URL(url).pathname === '/in-memory') return Response.json(await runCases(inMemory()));
    return Response.json(await runCases(backend(), (number) => OBJECTS.getByName(`${number}`).run(number)));
  },
};
