// Appends once to each conversation and generates the memory. Arguments: a directory, a round and the number of
// conversations.
import { localDirectory, WorkspaceMemory } from '../../src/index.ts';
import { scriptedModel } from '../support/model.ts';
import { said } from '../support/segments.ts';

const [directory = '', round = '', conversations = ''] = process.argv.slice(2);
const memory = new WorkspaceMemory({ workspace: localDirectory(directory), model: scriptedModel() });
for (let n = 0; n < Number(conversations); n++) {
  await memory.run({ conversationId: `c${n}` }).append(said(`round ${round} of c${n}`));
}
process.stdout.write('appended\n');
await memory.close({ onProgress: ({ phase, done }) => process.stdout.write(`${phase} ${done}\n`) });
process.stdout.write('closed\n');
