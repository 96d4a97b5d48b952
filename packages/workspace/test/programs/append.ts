// Many runs of one conversation that append at once: takes a directory, a name, how many, and how often each.
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
