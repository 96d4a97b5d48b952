import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { vi } from 'vitest';

/** The number of bytes that this process reads from files during `use`. */
export async function bytesReadBy(use: () => Promise<unknown>): Promise<number> {
  const readSync = vi.spyOn(fs, 'readSync');
  syncBuiltinESMExports();
  try {
    await use();
    return readSync.mock.results.reduce((sum, { value }) => sum + Number(value), 0);
  } finally {
    readSync.mockRestore();
    syncBuiltinESMExports();
  }
}
