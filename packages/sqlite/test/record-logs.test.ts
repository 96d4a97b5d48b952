import { DatabaseSync } from 'node:sqlite';
import { describeRecordLogs } from '@keepsake/suites/stores/record-logs';
import { Database } from '../src/database/database.ts';
import { connectToFile } from '../src/file/open-file.ts';
import { SqliteLogs } from '../src/records/sqlite-logs.ts';
import { newFile } from './temporary-file.ts';

describeRecordLogs('SQLite', () => {
  const file = newFile();
  return {
    // Each has its own connection, as in another process.
    open: (embedder) => new SqliteLogs(new Database(connectToFile(file, 'os'), file), embedder),
    async endLeases() {
      const database = new DatabaseSync(file);
      database.exec('UPDATE keepsake_indexes SET written_ms = 0 WHERE change IS NULL');
      database.close();
    },
  };
});
