import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const root = mkdtempSync(join(tmpdir(), 'keepsake-cli-'));
// Some tests run the program as another user.
chmodSync(root, 0o755);
// After all tests of the file, because they run concurrently.
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;

/** An empty directory for one test. */
export function temporaryDirectory(): string {
  const path = join(root, String(count++));
  mkdirSync(path);
  return path;
}
