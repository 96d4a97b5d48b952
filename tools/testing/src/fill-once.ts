import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Fills a directory unless it exists. Fills a temporary one and renames it, so that the directory is never incomplete. */
export async function fillOnce(directory: string, fill: (unfinished: string) => Promise<unknown>): Promise<void> {
  if (existsSync(directory)) return;
  await mkdir(dirname(directory), { recursive: true });
  const unfinished = await mkdtemp(`${directory}-`);
  try {
    await fill(unfinished);
    await rename(unfinished, directory);
  } catch (error) {
    // Another process may have filled it in the meantime.
    if (!existsSync(directory)) throw error;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}
