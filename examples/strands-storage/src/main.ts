/**
 * A Strands agent continues its session in another process:
 *
 * npm start -w examples/strands-storage
 * npm start -w examples/strands-storage -- "I keep bees." "What do I keep?"
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const DIRECTORY = '.keepsake/strands-storage';
const talk = fileURLToPath(new URL('talk.ts', import.meta.url));
const given = process.argv.slice(2);
const texts = given.length > 0 ? given : ['My sister Runa has moved to Tromsø.', 'Where does Runa live now?'];

rmSync(DIRECTORY, { recursive: true, force: true });
for (const text of texts) {
  const node = [...process.execArgv, talk, DIRECTORY, text];
  const { status } = spawnSync(process.execPath, node, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
