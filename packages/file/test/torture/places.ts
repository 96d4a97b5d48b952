import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { temporaryDirectory } from '../temporary-directory.ts';

/** A directory on disk that is removed after all tests of a file, and a function that creates a new directory in it. */
export function places(): { readonly root: string; readonly place: () => string } {
  const { path: root, remove } = temporaryDirectory(tmpdir());
  afterAll(remove);
  let made = 0;
  return {
    root,
    place() {
      const directory = join(root, String(made++));
      mkdirSync(directory);
      return directory;
    },
  };
}

/** Runs `rounds` rounds, `lanes` at a time. Starts no more after one has failed. */
export async function inLanes(lanes: number, rounds: number, round: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < rounds) {
      try {
        await round(next++);
      } catch (error) {
        next = rounds;
        throw error;
      }
    }
  };
  // Waits for all running rounds, because their directories are removed afterwards.
  const ends = await Promise.allSettled(Array.from({ length: lanes }, lane));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
