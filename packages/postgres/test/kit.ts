import { describeSession, describeSessionStore } from '@keepsake/conformance';
import { describeStores as describeKits, ON_A_SERVER } from '@keepsake/suites/whole-kit';
import { describe, it } from 'vitest';
import {
  PostgresSession,
  PostgresSessionStore,
  type PostgresSessionStoreOptions,
  PostgresStore,
  type PostgresStoreOptions,
} from '../src/index.ts';
import type { DriverKind } from './connect-to.ts';
import { breakable, sharedDatabase } from './databases.ts';

/** Of a variant by day: only the cases about these, and not the smaller kits. */
interface Share {
  readonly concerns?: readonly string[];
}

/** Runs the kits for stores through a driver. */
export function describeStores(kind: DriverKind, own: Partial<PostgresStoreOptions> = {}, share: Share = {}): void {
  const shared = sharedDatabase(kind);
  describeKits({
    describe,
    it,
    name: `PostgresStore through ${kind}${own.embedder === undefined ? '' : ', with an embedder'}`,
    capabilities: own.embedder === undefined ? ON_A_SERVER : { ...ON_A_SERVER, search: 'hybrid' },
    ...share,
    async place() {
      const { client, sql } = shared.database;
      await sql('DELETE FROM keepsake_namespaces');
      return { store: (options) => new PostgresStore({ client, name: 'memory', ...own, ...options }) };
    },
  });
}

/** Runs the kits for sessions and their store through a driver. */
export function describeSessions(
  kind: DriverKind,
  own: Partial<PostgresSessionStoreOptions> = {},
  share: Share = {},
): void {
  const shared = sharedDatabase(kind);

  describeSession({
    describe,
    it,
    name: `PostgresSession through ${kind}`,
    capabilities: { shared: true, keepsIdOnClear: true, anyItem: true, anyId: true, canDamage: true, canFail: true },
    ...share,
    harness() {
      const { client, fail, heal } = breakable(shared.database);
      return {
        open: (sessionId) =>
          new PostgresSession({
            ...{ client, onCorrupt() {}, ...own },
            ...(sessionId === undefined ? {} : { sessionId }),
          }),
        damage: (sessionId, index) => damageItem(shared.database.sql, sessionId, index),
        fail,
        heal,
      };
    },
  });

  if (share.concerns !== undefined) return;
  describeSessionStore({
    describe,
    it,
    name: `PostgresSessionStore through ${kind}`,
    capabilities: { shared: true },
    async harness() {
      const { client, sql } = shared.database;
      await sql('DELETE FROM keepsake_sessions');
      const open = () => new PostgresSessionStore({ client, ...own });
      return { store: open(), reopen: open };
    },
  });
}

/** Cuts the text of an item in half. 0 is the oldest item. */
async function damageItem(sql: (text: string) => Promise<unknown>, sessionId: string, index: number): Promise<void> {
  await sql(`UPDATE keepsake_items SET item = left(item, length(item) / 2) WHERE (session_key, seq) IN (
    SELECT session_key, seq FROM keepsake_items AS i JOIN keepsake_sessions AS s ON s.key = i.session_key
    WHERE s.id = '${sessionId.replaceAll("'", "''")}' ORDER BY seq LIMIT 1 OFFSET ${index}
  )`);
}
