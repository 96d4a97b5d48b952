import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const INSTALLED = join(import.meta.dirname, '../../../node_modules');

/**
 * Writes the configuration `slow.config.mjs`. Its store takes half a second for each batch, so that a test has the time to
 * interrupt what writes to it.
 *
 * @param store - Such as `FileStore({ directory: 'memory', name: 'memory' })`.
 */
export function writeSlowConfig(cwd: string, backend: 'file' | 'sqlite', store: string): void {
  symlinkSync(INSTALLED, join(cwd, 'node_modules'));
  const code = `import * as backend from '@keepsake/${backend}';
import { slow } from '${join(import.meta.dirname, 'programs/slow.ts')}';
export default { memory: () => slow(new backend.${store}) };
`;
  writeFileSync(join(cwd, 'slow.config.mjs'), code);
}
