// One of two processes that use the memory tool at the same moments. Argument: JSON with the directory, which process this
// is, the number of rounds, and whether to use the reference tool of the Anthropic SDK. Prints the result of each rename.
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { BetaLocalFilesystemMemoryTool } from '@anthropic-ai/sdk/tools/memory/node';
import { localDirectory } from '@keepsake/workspace';
import { KeepsakeMemoryTool } from '../../src/index.ts';

const { directory, me, rounds, isReference } = JSON.parse(process.argv[2] ?? '');
const tool = isReference
  ? new BetaLocalFilesystemMemoryTool(directory)
  : new KeepsakeMemoryTool({ workspace: localDirectory(directory) });
process.stdout.write('ready\n');
await once(process.stdin, 'data');

// Both begin each round at the same time of the clock.
const start = (Math.floor(Date.now() / 500) + 1) * 500;
for (let round = 0; round < rounds; round++) {
  await setTimeout(Math.max(0, start + round * 40 - Date.now()));
  const result = await tool
    .rename({ command: 'rename', old_path: `/memories/${me}-${round}`, new_path: `/memories/target-${round}` })
    .catch((error) => error.message);
  process.stdout.write(`${result}\n`);
  await tool.insert({ command: 'insert', path: '/memories/log.md', insert_line: 0, insert_text: `${me} ${round}` });
}
process.exit();
