// Another process that changes a memory of alice: `change.ts DIRECTORY put TEXT [ID]` or `change.ts DIRECTORY delete ID`.
import { FileStore } from '@keepsake/file';

const [directory = '', action, ...given] = process.argv.slice(2);
const store = new FileStore({ directory, name: 'memory' });
const alice = store.within(['u', 'alice']);
if (action === 'delete') await alice.delete(given[0] ?? '');
else await alice.put({ content: given[0] ?? '', id: given[1] });
await store.close();
console.log('done');
