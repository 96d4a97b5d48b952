import { encrypted } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { describeEncryptedStore } from '@keepsake/suites/stores/encryption';
import { describe, expect, it } from 'vitest';
import { SqliteStore } from '../src/index.ts';
import { rawBytes } from './raw-bytes.ts';
import { newFile, temporaryDatabase } from './temporary-file.ts';

// Encryption is the same on every backend. By day, files and the memory have these tests.
describe('every night', { tags: ['nightly'] }, () => {
  describeEncryptedStore({
    name: 'SqliteStore',
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
});

it('an encrypted store finds its records, of which the file shows no word', async () => {
  const file = newFile();
  const keys = { current: 'k1', keys: { k1: crypto.getRandomValues(new Uint8Array(32)) } };
  const open = () =>
    encrypted(new SqliteStore({ file, name: 'memory' }), keys, { index: new InMemoryStore({ name: 'index' }) });
  const turn = { thread: 'sentinel', index: 0, speaker: 'sentinel' };
  const record = { id: 'one', content: 'A sentinel and a heron', metadata: { sentinel: ['sentinel'] }, turn };
  await open().putMany([record, { id: 'two', content: 'sentinel' }]);
  await open().put({ id: 'three', content: 'Another sentinel', supersedes: 'two' });
  expect(await open().search('heron')).toMatchObject([record]);
  const bytes = rawBytes(file).toLowerCase();
  expect(bytes).not.toContain('sentinel');
  expect(bytes).not.toContain('heron');
});
