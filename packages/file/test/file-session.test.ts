import { describeSession } from '@keepsake/conformance';
import { describe, it } from 'vitest';
import { FileSession } from '../src/index.ts';
import { damageItem } from './damage.ts';
import { temporaryDirectory } from './temporary-directory.ts';

describeSession({
  describe,
  it,
  name: 'FileSession',
  capabilities: { shared: true, keepsIdOnClear: true, anyItem: true, anyId: true, canDamage: true, canFail: true },
  harness() {
    const { path, remove, hide, show } = temporaryDirectory();
    return {
      open: (sessionId) =>
        new FileSession({ directory: path, onCorrupt() {}, ...(sessionId === undefined ? {} : { sessionId }) }),
      damage: (sessionId, index) => damageItem(path, sessionId, index),
      fail: hide,
      heal: show,
      close: remove,
    };
  },
});
