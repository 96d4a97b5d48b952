// `npm test`: lint, types and the tests of a day. `--ci` adds what .ci/run promises, `--all` everything that there is.
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Outcome, RESULTS, runLanes } from './part.ts';
import { CI, DAY, EVERYTHING } from './parts.ts';
import { closing, sum } from './results.ts';
import { withServers } from './servers.ts';

const { values } = parseArgs({ options: { ci: { type: 'boolean' }, all: { type: 'boolean' } } });

rmSync(RESULTS, { recursive: true, force: true });
const outcomes: Outcome[] = [];
await withServers(async () => {
  for (const lanes of [...DAY, ...(values.ci ? CI : []), ...(values.all ? EVERYTHING : [])]) {
    outcomes.push(...(await runLanes(lanes)));
  }
});
const total = sum(outcomes.map(({ results }) => results));
console.log(['', ...outcomes.map(({ name, minutes }) => `${minutes.toFixed(1)} min  ${name}`)].join('\n'));
console.log(closing(total));
process.exitCode = total.failed > 0 ? 1 : 0;
