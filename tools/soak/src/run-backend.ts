// One backend in a process of its own, so that the figures are only of this backend:
// `run-backend.ts BACKEND MINUTES RATE SEED`.
import { faultsOf } from './faults.ts';
import { describeResult } from './report.ts';
import { soak } from './soak.ts';

const [backend = '', ...numbers] = process.argv.slice(2);
const [minutes = 0, rate = 0, seed = 0] = numbers.map(Number);

const result = await soak({ backend, minutes, rate, seed, onProgress: (line) => console.error(line) });
console.log(`\n${describeResult(backend, minutes * 60, result)}`);
const faults = faultsOf(result);
for (const fault of faults) console.log(`  FAULT: ${fault}`);
if (faults.length > 0) process.exitCode = 1;
