import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';
import { listens, until } from './until.ts';

const PROGRAM = join(import.meta.dirname, 'children/start-servers.ts');

/** Runs a process that starts servers, with its own temporary folder. */
async function startedBy(how: 'wait' | 'end') {
  const folder = temporaryFolder();
  chmodSync(folder, 0o1777);
  const child = spawn(process.execPath, ['--conditions=@keepsake/source', PROGRAM, how], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: folder },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const [line] = await once(createInterface(child.stdout), 'line');
  return { child, ended, folder, ports: JSON.parse(line) as number[] };
}

it('a server ends and its folder is removed if the process that started it is killed', async () => {
  const { child, ended, folder, ports } = await startedBy('wait');
  expect(await Promise.all(ports.map(listens))).toEqual([true, true]);
  expect(readdirSync(folder)).toHaveLength(2);
  child.kill('SIGKILL');
  await ended;
  for (const port of ports) await until(async () => !(await listens(port)));
  await until(() => readdirSync(folder).length === 0);
});

it('a server neither keeps its process from exiting nor outlives it, even if it is not stopped', async () => {
  const { ended, folder, ports } = await startedBy('end');
  expect(await ended).toEqual([0, null]);
  for (const port of ports) await until(async () => !(await listens(port)));
  await until(() => readdirSync(folder).length === 0);
});
