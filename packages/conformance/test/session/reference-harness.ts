import { byDay } from '@keepsake/testing/share';
import type { DurableHarness, SessionCapabilities } from '../../src/session/harness.ts';
import { DAMAGED, ReferenceBackend, type ReferenceSession } from './reference.ts';

export type SessionClass = typeof ReferenceSession;

export const everything: SessionCapabilities = {
  shared: true,
  keepsIdOnClear: true,
  anyItem: true,
  anyId: true,
  canDamage: true,
  canFail: true,
};

/** What runs under other test runners. */
export const FEW = byDay({ concerns: ['identity', 'reading', 'appending'] });

/** An empty backend for sessions of that class. */
export function harnessOf(Session: SessionClass): DurableHarness {
  const backend = new ReferenceBackend();
  return {
    open: (sessionId) => new Session(backend, sessionId),
    damage(sessionId, index) {
      const stored = backend.sessions.get(sessionId);
      if (stored === undefined) throw new Error('nothing to damage');
      backend.sessions.set(sessionId, { ...stored, items: stored.items.with(index, DAMAGED) });
    },
    fail() {
      backend.failing = true;
    },
    heal() {
      backend.failing = false;
    },
  };
}
