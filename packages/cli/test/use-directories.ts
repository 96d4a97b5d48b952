import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/**
 * Returns a function that creates an empty directory. All are removed after the last test of the file, because tests run
 * concurrently. Call it outside of tests.
 */
export function useDirectories(): () => string {
  let root = '';
  let count = 0;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'keepsake-cli-'));
    // Some tests run the program as another user.
    chmodSync(root, 0o755);
  });
  afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 20 }));
  return () => {
    const path = join(root, String(count++));
    mkdirSync(path);
    return path;
  };
}
