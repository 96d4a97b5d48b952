import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Builds the site, before any test reads it. */
export default function setup(): void {
  const program = join(import.meta.dirname, '../../src/build.ts');
  const { status, stderr } = spawnSync(process.execPath, ['--conditions=@keepsake/source', program], {
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production', VITEST: undefined },
  });
  // VitePress refuses dead links.
  if (status !== 0) throw new Error(stderr);
}
