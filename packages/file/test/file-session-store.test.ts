import { describeSession, describeSessionStore } from '@keepsake/conformance';
import { byDay } from '@keepsake/testing/share';
import { describe, it } from 'vitest';
import { FileSession, FileSessionStore } from '../src/index.ts';
import { damageItem } from './damage.ts';
import { temporaryDirectory } from './temporary-directory.ts';

for (const durability of ['sync', 'os'] as const) {
  describeSessionStore({
    describe,
    it,
    name: `FileSessionStore with durability '${durability}'`,
    capabilities: { shared: true },
    ...(durability === 'os' && byDay({ concerns: ['opening', 'listing', 'deleting'] })),
    harness() {
      const { path, remove } = temporaryDirectory();
      const open = () => new FileSessionStore({ directory: path, durability });
      return { store: open(), reopen: open, close: remove };
    },
  });
}

describeSession({
  describe,
  it,
  name: "FileSession with durability 'os'",
  capabilities: { shared: true, keepsIdOnClear: true, anyItem: true, anyId: true, canDamage: true, canFail: true },
  // What it changes is when a write is on disk; most other tests of files run with it, too.
  ...byDay({ concerns: ['appending', 'popping', 'transactions', 'concurrent changes', 'linearizability'] }),
  harness() {
    const { path, remove, hide, show } = temporaryDirectory();
    return {
      open: (sessionId) =>
        new FileSession({
          directory: path,
          durability: 'os',
          onCorrupt() {},
          ...(sessionId === undefined ? {} : { sessionId }),
        }),
      damage: (sessionId, index) => damageItem(path, sessionId, index),
      fail: hide,
      heal: show,
      close: remove,
    };
  },
});
