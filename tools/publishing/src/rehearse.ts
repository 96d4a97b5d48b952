// `npm run release:rehearse`: shows what the next releases would do, and fails if one would go wrong.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeRelease } from './describe-release.ts';
import { rehearse } from './rehearsal.ts';

const root = join(import.meta.dirname, '../../..');
const scratch = mkdtempSync(join(realpathSync(tmpdir()), 'keepsake-rehearsal-'));
try {
  const releases = await rehearse(root, scratch);
  console.log(releases.map(describeRelease).join('\n\n'));
  if (releases.some(({ faults }) => faults.length > 0)) process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
