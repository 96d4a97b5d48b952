// `npm run test:fuzz`: gives changed and hostile inputs to every function that takes text or files from outside.
//
//   --minutes 10    runs that long with a random seed, instead of the same short run each time
//   --seed 7        the random seed
//   --target cli    runs the targets whose names start like this
//   --input 12      runs one input, or with 3-12 several
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { findTargets } from './find-targets.ts';
import { describeRun, describeTarget, vitestReport } from './report.ts';
import { runTarget, type TargetResult } from './run-target.ts';
import { readShares } from './shares.ts';

const root = join(import.meta.dirname, '../../..');
const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string' },
    target: { type: 'string', default: '' },
    input: { type: 'string' },
  },
});

const targets = await findTargets(join(root, 'packages'), values.target);
if (targets.length === 0) throw new Error(`No target starts with "${values.target}".`);
const processes = availableParallelism();
const shareOf = readShares(values, { targets: targets.length, processes });
const results = join(root, 'test-results');
const directory = join(results, 'fuzz');
rmSync(directory, { recursive: true, force: true });

const waiting = [...targets];
const done: TargetResult[] = [];
await Promise.all(Array.from({ length: processes }, work));
console.log(`\n${describeRun(done)}`);
const report = join(results, 'tools/fuzz.fuzz.json');
mkdirSync(dirname(report), { recursive: true });
writeFileSync(report, JSON.stringify(vitestReport(done)));
// Modules of the targets may keep something open.
process.exit(done.some(({ faults }) => faults.length > 0) ? 1 : 0);

async function work(): Promise<void> {
  for (let target = waiting.shift(); target !== undefined; target = waiting.shift()) {
    const result = await runTarget(target, shareOf(target), directory);
    console.log(describeTarget(result, root));
    done.push(result);
  }
}
