// Another process that remembers something: `put.ts DIRECTORY TEXT`.
import { FileStore } from '@keepsake/file';

const [directory = '', content = ''] = process.argv.slice(2);
const store = new FileStore({ directory, name: 'memory' });
await store.within(['user', 'alice']).put({ content });
await store.close();
console.log('put');
