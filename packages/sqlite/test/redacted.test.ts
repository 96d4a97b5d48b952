import { describeRedaction } from '@keepsake/suites/stores/redaction';
import { SqliteSession, SqliteStore } from '../src/index.ts';
import { rawBytes } from './raw-bytes.ts';
import { newFile } from './temporary-file.ts';

describeRedaction('SQLite', () => {
  const file = newFile();
  return {
    openStore: (embedder) => new SqliteStore({ name: 'memory', file, embedder }),
    openSession: () => new SqliteSession({ file }),
    readBytes: () => rawBytes(file),
  };
});
