import { describeRedaction } from '@keepsake/suites/stores/redaction';
import { useDirectory } from '@keepsake/testing';
import { FileSession, FileStore } from '../src/index.ts';
import { rawScan } from './folder.ts';

const directory = useDirectory();

describeRedaction('files', () => ({
  openStore: (embedder) => new FileStore({ name: 'memory', directory: directory.path, embedder }),
  openSession: () => new FileSession({ directory: directory.path }),
  readBytes: () => rawScan(directory.path),
}));
