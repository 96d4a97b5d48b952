import { isMemoryError } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { damageRecords } from '@keepsake/testing/fuzz/damaged-records';
import { Random } from '@keepsake/testing/fuzz/random';
import { fuzzTarget } from '@keepsake/testing/fuzz/target';
import { mutateText } from '@keepsake/testing/fuzz/text';
import { StorageError } from '@strands-agents/sdk';
import { KeepsakeStorage } from '../../src/index.ts';

const KEYS: readonly string[] = ['session/one/messages.json', '/a//b/', 'notes.json', 'a/../b'];
const BYTES = new TextEncoder().encode('{"messages":[]}');
const isRefusal = (error: unknown) => error instanceof StorageError;

export const keys = fuzzTarget({
  input: (random) => mutateText(random, random.pick(KEYS), KEYS),
  isRefusal,
  async run(key) {
    const storage = new KeepsakeStorage({ store: new InMemoryStore({ name: 'storage' }) });
    await storage.list(key);
    await storage.write(key, BYTES);
    await storage.read(key);
    await storage.list(key);
    await storage.delete(key);
  },
});

export const damagedValues = fuzzTarget({
  inputs: 300,
  input: (random) => random.whole(2 ** 31),
  isRefusal,
  async run(seed) {
    const store = new InMemoryStore({ name: 'storage' });
    const storage = new KeepsakeStorage({ store });
    await storage.write('a/b', BYTES);
    await storage.write('a/c', new Uint8Array(2000).fill(7));
    await damageRecords(new Random(seed), store);
    for (const use of [() => storage.read('a/b'), () => storage.list('a/'), () => storage.write('a/b', BYTES)]) {
      await use().catch((error) => {
        if (!isRefusal(error) && !isMemoryError(error)) throw error;
      });
    }
    await storage.delete('a/b');
  },
});
