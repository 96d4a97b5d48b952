// `npm run soak`: gives backends a constant random load, checks every answer, and reports what grows.
//
//   --backend file   one backend, instead of one after the other
//   --minutes 30     10 by default
//   --rate 500       operations a second, 200 by default
//   --seed 7         the random seed
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BACKENDS } from './backends.ts';

const { values } = parseArgs({
  options: {
    backend: { type: 'string', multiple: true, default: Object.keys(BACKENDS) },
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: '200' },
    seed: { type: 'string', default: `${randomInt(2 ** 31)}` },
  },
});
for (const name of ['minutes', 'rate', 'seed'] as const) {
  if (!(Number(values[name]) > 0)) throw new Error(`--${name} must be a number above 0.`);
}
for (const backend of values.backend) {
  if (!(backend in BACKENDS)) {
    throw new Error(`There is no backend "${backend}", only: ${Object.keys(BACKENDS).join(', ')}.`);
  }
}

console.log(`Seed: ${values.seed}`);
const failed = values.backend.filter((backend) => {
  const program = ['--expose-gc', ...process.execArgv, join(import.meta.dirname, 'run-backend.ts')];
  const { minutes, rate, seed } = values;
  const { status } = spawnSync(process.execPath, [...program, backend, minutes, rate, seed], { stdio: 'inherit' });
  return status !== 0;
});
console.log(failed.length === 0 ? '\nAll backends passed.' : `\nFailed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
