// Appends to one conversation in many concurrent runs. Arguments: a directory, a name, the number of runs and the
// number of appends per run.
import { localDirectory, WorkspaceMemory } from '../../src/index.ts';
import { scriptedModel } from '../support/model.ts';
import { said } from '../support/segments.ts';

const [directory = '', name = '', appenders = '', times = ''] = process.argv.slice(2);
const memory = new WorkspaceMemory({ workspace: localDirectory(directory), model: scriptedModel() });
await Promise.all(
  Array.from({ length: Number(appenders) }, async (_, n) => {
    const run = memory.run({ conversationId: 'shared' });
    for (let time = 0; time < Number(times); time++) await run.append(said(`${name} ${n} ${time}`, 'x'.repeat(3_000)));
  }),
);
