// Changes a session and a store step by step in a separate process, until it is killed. The argument is a Plan. Prints the number of each step that was acknowledged.
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { doStep, openPlace, type Plan } from '../torture/plan.ts';

const plan = JSON.parse(process.argv[2] ?? '') as Plan;
const place = openPlace(plan);
// Not by console.log: it would make later writes fail while nobody reads the output, instead of letting them wait.
writeSync(1, 'ready\n');
await once(process.stdin, 'data');
for (let n = plan.first; ; n++) {
  await doStep(place, plan.writer, n);
  writeSync(1, `${n}\n`);
}
