import { InMemoryStore } from '@keepsake/in-memory';
import { describeEncryptedStore } from '@keepsake/suites/stores/encryption';
import { FileStore } from '../src/index.ts';
import { rawScan } from './folder.ts';
import { temporaryDirectory } from './temporary-directory.ts';

describeEncryptedStore({
  name: 'FileStore',
  kitAtNight: true,
  capabilities: new FileStore({ directory: 'nowhere', name: 'memory' }).capabilities,
  index: () => new InMemoryStore({ name: 'index' }),
  harness() {
    const { path, remove } = temporaryDirectory();
    return {
      open: (options) => new FileStore({ directory: path, name: 'memory', ...options }),
      stored: () => rawScan(path),
      close: remove,
    };
  },
});
