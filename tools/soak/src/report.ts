import type { Sample } from './sample.ts';
import type { SoakResult } from './soak.ts';

const MIB = 1024 ** 2;

/** A table with the figures of a run. */
export function describeResult(
  backend: string,
  seconds: number,
  { operations, first, last, remains }: SoakResult,
): string {
  const rows = ROWS.flatMap(([name, figure]) => {
    const [before, after] = [figure(first), figure(last)];
    return before === undefined || after === undefined ? [] : [[name, before, after]];
  });
  const lines = [['', 'first', 'last'], ...rows].map(([name = '', before = '', after = '']) => {
    return `  ${name.padEnd(24)}${before.padStart(12)}${after.padStart(12)}`;
  });
  const rate = Math.round(operations / seconds);
  const left = remains === undefined ? [] : [`  left: ${remains.count} files, ${mib(remains.bytes)}`];
  return [`${backend}: ${operations.toLocaleString('en')} operations, ${rate} a second`, ...lines, ...left].join('\n');
}

const ROWS: readonly (readonly [string, (sample: Sample) => string | undefined])[] = [
  ['read, median', ({ read }) => ms(read.median)],
  ['read, p99', ({ read }) => ms(read.p99)],
  ['change, median', ({ change }) => ms(change.median)],
  ['change, p99', ({ change }) => ms(change.p99)],
  ['heap', ({ heap }) => mib(heap)],
  ['resident memory', ({ resident }) => mib(resident)],
  ['descriptors', ({ descriptors }) => descriptors?.toString()],
  ['files', ({ files }) => files?.count.toString()],
  ['disk', ({ files }) => files && mib(files.bytes)],
  ['server', ({ server }) => (server === undefined ? undefined : mib(server))],
];

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}

function mib(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}
