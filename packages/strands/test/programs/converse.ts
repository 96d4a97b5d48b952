// Is interrupted in one conversation and killed in another, in a separate process. Argument: a directory. Prints the outcome
// of the first.
import { converse } from '../support/converse.ts';

const [directory = ''] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await converse(directory, 'interrupted', 'ask')));
await converse(directory, 'killed', 'die');
