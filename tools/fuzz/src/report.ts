import { relative } from 'node:path';
import type { FoundFault, TargetResult } from './run-target.ts';

/** The lines about one target: how many inputs it had, and each fault with the command that repeats it. */
export function describeTarget({ name, seed, inputCount, faults }: TargetResult, root: string): string {
  const summary = `${name}: ${countOf(inputCount, 'input')}, ${countOf(faults.length, 'fault')}`;
  return [summary, ...faults.flatMap((fault) => describeFault(fault, name, seed, root))].join('\n');
}

function describeFault(
  { kind, text, savedTo, inputs }: FoundFault,
  name: string,
  seed: number,
  root: string,
): string[] {
  return [
    `  ${kind.toUpperCase()}: ${text.replaceAll('\n', '\n    ')}`,
    `    The input is in ${relative(root, savedTo)}. To repeat it:`,
    `    npm run test:fuzz -- --target ${name} --seed ${seed} --input ${inputs}`,
  ];
}

/** The last line of a run. */
export function describeRun(results: readonly TargetResult[]): string {
  const total = (numberOf: (result: TargetResult) => number) =>
    results.reduce((sum, result) => sum + numberOf(result), 0);
  const inputs = countOf(
    total(({ inputCount }) => inputCount),
    'input',
  );
  const faults = countOf(
    total((result) => result.faults.length),
    'fault',
  );
  return `${countOf(results.length, 'target')}, ${inputs}, ${faults}`;
}

/** The results in the form of Vitest's report, which `npm test` reads: a test for each target. */
export function vitestReport(results: readonly TargetResult[]): object {
  const testResults = results.map(({ name, faults }) => {
    const status = faults.length > 0 ? 'failed' : 'passed';
    const failureMessages = faults.map(({ text }) => text);
    return { name, status, message: '', assertionResults: [{ status, fullName: name, failureMessages }] };
  });
  return { testResults };
}

function countOf(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}
