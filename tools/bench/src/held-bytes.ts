import { setTimeout as sleep } from 'node:timers/promises';

/** The memory of the result of `make`, in bytes. Requires Node's flag `--expose-gc`. */
export async function heldBytes(make: () => Promise<object>): Promise<number> {
  const before = await settledBytes();
  const made = [await make()];
  const bytes = (await settledBytes()) - before;
  // Keeps it alive until here.
  made.pop();
  return bytes;
}

async function settledBytes(): Promise<number> {
  if (globalThis.gc === undefined) throw new Error('Measuring memory requires --expose-gc.');
  for (let pass = 0; pass < 3; pass++) {
    globalThis.gc();
    await sleep(20);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
