// Runs an agent in a separate process. Arguments: a directory, the user's message and the model's answer. Prints the model's
// input.
import { openMemory, say } from '../support/agent-memory.ts';

const [directory = '', says = '', answer = ''] = process.argv.slice(2);
const { memory, close } = await openMemory(directory);
process.stdout.write(JSON.stringify(await say(memory, says, answer)));
await close();
