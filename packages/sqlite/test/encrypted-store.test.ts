import { InMemoryStore } from '@keepsake/in-memory';
import { describeEncryptedStore } from '@keepsake/suites/stores/encryption';
import { SqliteStore } from '../src/index.ts';
import { rawBytes } from './raw-bytes.ts';
import { temporaryDatabase } from './temporary-file.ts';

describeEncryptedStore({
  name: 'SqliteStore',
  kitAtNight: true,
  capabilities: new SqliteStore({ file: 'nowhere.db', name: 'memory' }).capabilities,
  index: () => new InMemoryStore({ name: 'index' }),
  harness() {
    const { file, remove } = temporaryDatabase();
    return {
      open: (options) => new SqliteStore({ file, name: 'memory', ...options }),
      stored: () => rawBytes(file),
      close: remove,
    };
  },
});
