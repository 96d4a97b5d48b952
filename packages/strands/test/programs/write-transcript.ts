// Writes a transcript in a separate process. Arguments: the address of the store as JSON, and the number of the transcript.
// Prints `ready` before it writes, and `written` after.
import { KeepsakeStorage } from '../../src/index.ts';
import { openAt } from '../support/backends.ts';
import { transcript } from '../support/transcript.ts';

const [address = '', number = ''] = process.argv.slice(2);
const { store, close } = openAt(JSON.parse(address));
const storage = new KeepsakeStorage({ store });
// Opens the connection.
await storage.read('other');
const data = transcript(Number(number));
process.stdout.write('ready\n');
await storage.write('transcript', data);
process.stdout.write('written\n');
await close();
