/**
 * Two agents with separate memories in one workspace, in four processes:
 *
 * npm start -w examples/two-layouts
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const DIRECTORY = '.keepsake/two-layouts';
const talk = fileURLToPath(new URL('talk.ts', import.meta.url));

rmSync(DIRECTORY, { recursive: true, force: true });
for (const [name, ...texts] of [
  ['gtm', 'Our best segment is bakeries in Ghent.', 'Write to them in Dutch.'],
  ['engineering', 'The invoice test fails on leap days.', 'Use UTC dates in it.'],
  ['gtm', 'What do you know?'],
  ['engineering', 'What do you know?'],
] as const) {
  const node = [...process.execArgv, talk, DIRECTORY, name, ...texts];
  const { status } = spawnSync(process.execPath, node, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
