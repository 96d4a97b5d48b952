import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startProgram } from '@keepsake/testing';
import { expect, it } from 'vitest';
import { keepsake } from './keepsake.ts';
import { useDirectories } from './use-directories.ts';

const temporaryDirectory = useDirectories();
const PROGRAM = join(import.meta.dirname, '../src/keepsake.ts');

it('panel serves the memory until it is stopped, without changes if it is read-only', async () => {
  const directory = join(temporaryDirectory(), 'memory');
  await keepsake(['remember', 'Lives in Lisbon', '-d', directory], { cwd: temporaryDirectory() });
  const child = startProgram(PROGRAM, ['panel', '--read-only', '--json', '--directory', directory]);
  const [line] = await once(createInterface(child.stdout), 'line');
  const { url } = JSON.parse(line) as { url: string };
  const { origin } = new URL(url);
  const cookie = (await fetch(url)).headers.get('set-cookie')?.split(';')[0] ?? '';
  const read = async (path: string) => (await fetch(`${origin}/api/${path}`, { headers: { cookie } })).json();
  expect(await read('records')).toMatchObject({ items: [{ content: { text: 'Lives in Lisbon' } }] });
  expect(await read('status')).toMatchObject({ readOnly: true, name: 'memory' });
  const health = await read('health');
  expect(health).toMatchObject({ counts: { records: 1 }, files: { problems: [] } });
  child.kill('SIGTERM');
  const [exitCode] = await once(child, 'exit');
  expect(exitCode).toBe(0);
});

it('panel refuses a port that there is none', async () => {
  const { exitCode, stderr } = await keepsake(['panel', '--port', '70000'], { cwd: temporaryDirectory() });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('from 1 to 65535');
});
