import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

/** Creates an empty directory for each test of a file and removes it afterwards. Call it outside of tests. */
export function useDirectory(): { readonly path: string } {
  const directory = { path: '' };
  beforeEach(() => {
    directory.path = mkdtempSync(join(tmpdir(), 'keepsake-'));
  });
  afterEach(() => rmSync(directory.path, { recursive: true, force: true, maxRetries: 20 }));
  return directory;
}
