// Changes a session and a store step by step in a separate process, until it is killed. The argument is a Plan. Prints the number of each step that was acknowledged.
import { once } from 'node:events';
import { say } from '@keepsake/testing/say';
import { doStep, openPlace, type Plan } from '../torture/plan.ts';

const plan = JSON.parse(process.argv[2] ?? '') as Plan;
const place = openPlace(plan);
say('ready');
await once(process.stdin, 'data');
for (let n = plan.first; ; n++) {
  await doStep(place, plan.writer, n);
  say(`${n}`);
}
