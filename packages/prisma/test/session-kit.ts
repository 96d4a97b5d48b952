import { describeSession, describeSessionStore } from '@keepsake/conformance';
import { describe, it } from 'vitest';
import { PrismaSession, PrismaSessionStore } from '../src/index.ts';
import { breakable, type DatabaseKind, damageItem, sharedDatabase } from './databases.ts';

/**
 * Runs the kits for sessions and their store on a database.
 *
 * @param concerns - Of a variant by day: only the cases of sessions about these.
 */
export function describeSessions(kind: DatabaseKind, concerns: { readonly concerns?: readonly string[] } = {}): void {
  const shared = sharedDatabase(kind);

  describeSession({
    describe,
    it,
    name: `PrismaSession on ${kind}`,
    capabilities: { shared: true, keepsIdOnClear: true, anyItem: true, anyId: true, canDamage: true, canFail: true },
    ...concerns,
    harness() {
      const { prisma, fail, heal } = breakable(shared.database.prisma);
      return {
        open: (sessionId) =>
          new PrismaSession({ prisma, onCorrupt() {}, ...(sessionId === undefined ? {} : { sessionId }) }),
        damage: (sessionId, index) => damageItem(shared.database, sessionId, index),
        fail,
        heal,
      };
    },
  });

  if (concerns.concerns !== undefined) return;
  describeSessionStore({
    describe,
    it,
    name: `PrismaSessionStore on ${kind}`,
    capabilities: { shared: true },
    async harness() {
      const { prisma } = shared.database;
      await prisma.keepsakeSession.deleteMany();
      const open = () => new PrismaSessionStore({ prisma });
      return { store: open(), reopen: open };
    },
  });
}
