import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram, useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';

const directory = useDirectory();
const keepsake = (...args: string[]) =>
  runProgram(join(import.meta.dirname, '../src/keepsake.ts'), args, { cwd: directory.path });

it('keepsake runs the command line, with its arguments, output and exit codes', async () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../cli/package.json'), 'utf8'));
  expect(await keepsake('--version')).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
  expect(await keepsake('remember', 'Alice lives in Lisbon.')).toMatchObject({ status: 0, stderr: '' });
  const { status, stdout } = await keepsake('recall', 'Where does Alice live?');
  expect([status, stdout]).toEqual([0, expect.stringContaining('Alice lives in Lisbon.')]);
  expect(await keepsake('recal')).toMatchObject({ status: 2, stderr: expect.stringContaining('Did you mean recall?') });
});
