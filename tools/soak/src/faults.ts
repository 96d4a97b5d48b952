import type { SoakResult } from './soak.ts';

const MIB = 1024 ** 2;
const HEAP = 16 * MIB;
const DESCRIPTORS = 5;

/** What grew that must not grow. */
export function faultsOf({ first, last }: SoakResult): string[] {
  const faults: string[] = [];
  const heap = last.heap - first.heap;
  if (heap > HEAP) faults.push(`The heap grew by ${(heap / MIB).toFixed(1)} MiB.`);
  const descriptors = (last.descriptors ?? 0) - (first.descriptors ?? 0);
  if (descriptors > DESCRIPTORS) faults.push(`${descriptors} more descriptors are open.`);
  return faults;
}
