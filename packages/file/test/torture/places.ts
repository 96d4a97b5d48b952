import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { temporaryDirectory } from '../temporary-directory.ts';

/** A directory for all tests of a file, which is removed after them; and a way to make new ones in it. */
export function places(): { readonly root: string; readonly place: () => string } {
  const { path: root, remove } = temporaryDirectory();
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

/** Does rounds, some at a time, each of which gets its number; no more of them once one has failed. */
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
  // What has begun ends before anybody removes its directory.
  const ends = await Promise.allSettled(Array.from({ length: lanes }, lane));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
