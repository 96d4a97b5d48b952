// Runs the command lines in the JSON array of its first argument, one after the other, and prints their results as JSON: many
// processes would take too long.

import { run } from '../../src/run.ts';
import type { Ended } from '../keepsake.ts';

type Stream = 'stdout' | 'stderr';
const written: Record<Stream, string> = { stdout: '', stderr: '' };
const print = process.stdout.write.bind(process.stdout);
for (const name of ['stdout', 'stderr'] as const) {
  process[name].write = ((text: string) => {
    written[name] += text;
    return true;
  }) as typeof process.stdout.write;
}

const results: Ended[] = [];
for (const args of JSON.parse(process.argv[2] ?? '[]') as string[][]) {
  Object.assign(written, { stdout: '', stderr: '' });
  results.push({ exitCode: await run(args), ...written });
}
print(JSON.stringify(results), () => process.exit());
