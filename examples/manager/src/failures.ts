import { isMemoryError, MemoryManager, type MemoryStore } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';

const works = new InMemoryStore({ name: 'works' });
await works.add('Prefers aisle seats.');
const hangs: MemoryStore = { name: 'hangs', writable: false, search: () => new Promise(() => {}) };
const breaks: MemoryStore = { name: 'breaks', writable: false, search: () => Promise.reject(new Error('503')) };

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const options = {
  search: { deadlineMs: 200 },
  telemetry: {
    logger: silent,
    onStoreError: ({ storeName, operation, error }: { storeName: string; operation: string; error: unknown }) =>
      console.log(`${storeName}: ${operation} failed:`, isMemoryError(error) ? error.code : String(error)),
  },
};

const memory = new MemoryManager({ ...options, stores: [works, hangs, breaks] });
console.log(await memory.search('seats').then((entries) => entries.map(({ content }) => content)));

const outage = new MemoryManager({ ...options, stores: [breaks] });
await outage.search('seats').catch((error) => console.log('search threw', error.code));
console.log(await outage.conversation().inject([{ role: 'user', content: 'Which seats?' }]));
