import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keepsake, keepsakeProcess } from './keepsake.ts';
import { useDirectories } from './use-directories.ts';

const temporaryDirectory = useDirectories();
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));

describe.concurrent('the command line', () => {
  it('is run with the directory, environment, streams and exit code of the process', async () => {
    const cwd = temporaryDirectory();
    const env = { KEEPSAKE_DIRECTORY: 'mine' };
    const remembered = await keepsakeProcess(['remember', '-'], { cwd, env, input: 'Lives in Lisbon' });
    expect(remembered).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^content-\w+\n$/), stderr: '' });
    expect(readdirSync(cwd)).toEqual(['mine']);
    expect(await keepsakeProcess(['forget', remembered.stdout.trim(), 'x'], { cwd, env })).toMatchObject({
      exitCode: 3,
      stdout: remembered.stdout,
      stderr: 'There is no memory x.\n',
    });
  });

  it('prints its version and its help; without a command, prints the help and exits with 2', async () => {
    const cwd = temporaryDirectory();
    expect(await keepsake(['--version'], { cwd })).toMatchObject({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
    expect((await keepsake(['-V'], { cwd })).stdout).toBe(`${version}\n`);
    const help = await keepsake(['--help'], { cwd });
    expect(help).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^Usage: keepsake/), stderr: '' });
    const ofImport = await keepsake(['import', '--help'], { cwd });
    expect(ofImport.stdout).toContain('ChatGPT');
    expect(ofImport.stdout).toContain('--directory');
    expect((await keepsake(['help', 'import'], { cwd })).stdout).toBe(ofImport.stdout);
    expect(await keepsake([], { cwd })).toMatchObject({ exitCode: 2, stdout: '', stderr: help.stdout });
  });

  it('suggests the nearest command or option', async () => {
    const cwd = temporaryDirectory();
    expect(await keepsake(['recal', 'x'], { cwd })).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: "keepsake: unknown command 'recal'\n(Did you mean recall?)\nSee keepsake --help.\n",
    });
    expect((await keepsake(['list', '--limt', '3'], { cwd })).stderr).toContain('(Did you mean --limit?)');
  });

  it.each([
    ['no file', ['import'], "missing required argument 'file'"],
    ['no question', ['recall'], "missing required argument 'question'"],
    ['no id', ['forget'], "missing required argument 'id'"],
    ['an extra argument', ['list', 'x'], 'too many arguments'],
    ['a limit of 0', ['list', '-l', '0'], 'a whole number from 1 to 1000'],
    ['a limit that is not a number', ['recall', 'x', '-l', '3x'], 'a whole number from 1 to 1000'],
    ['a broken namespace', ['list', '-n', 'a::b'], 'Segment 1 of the namespace is empty'],
    ['a namespace of another spelling', ['list', '-n', '%61'], "isn't a formatted namespace"],
    ['an empty directory', ['list', '-d', ''], '--directory must be the path of a directory'],
  ])('with %s exits with 2 and a clear message', async (_, args, words) => {
    const cwd = temporaryDirectory();
    const plain = await keepsake(args, { cwd });
    expect(plain).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(words) });
    expect(plain.stderr).not.toMatch(/\n\s+at /);
    const json = await keepsake([...args, '--json'], { cwd });
    expect(json).toMatchObject({ exitCode: 2, stdout: '' });
    expect(JSON.parse(json.stderr)).toEqual({ error: { code: 'USAGE', message: expect.stringContaining(words) } });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('reads the directory from the environment unless an option overrides it', async () => {
    const cwd = temporaryDirectory();
    const env = { KEEPSAKE_DIRECTORY: 'mine' };
    await keepsake(['remember', 'In mine'], { cwd, env });
    await keepsake(['remember', 'In yours', '--directory', 'yours'], { cwd, env });
    expect(readdirSync(cwd).sort()).toEqual(['mine', 'yours']);
    expect((await keepsake(['list', '-d', 'mine'], { cwd })).stdout).toContain('In mine');
  });

  it('prints the stack of an error only with KEEPSAKE_DEBUG', async () => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, '.keepsake'), '');
    const plain = await keepsake(['remember', 'x'], { cwd });
    expect(plain.exitCode).toBe(1);
    expect(plain.stderr.trimEnd().split('\n')).toHaveLength(2);
    const debug = await keepsake(['remember', 'x'], { cwd, env: { KEEPSAKE_DEBUG: '1' } });
    expect(debug.stderr).toMatch(/\n\s+at /);
    const json = await keepsake(['remember', 'x', '--json'], { cwd });
    expect(JSON.parse(json.stderr)).toEqual({
      error: { code: 'BACKEND', message: expect.stringContaining('ENOTDIR') },
    });
  });

  it('exits quietly when its reader closes the pipe', async () => {
    const cwd = temporaryDirectory();
    const line = (n: number) => JSON.stringify({ id: String(n), content: 'x'.repeat(1_000) });
    await keepsake(['import', '-'], { cwd, input: Array.from({ length: 2_000 }, (_, n) => line(n)).join('\n') });
    // Far more than a pipe buffers.
    const program = join(import.meta.dirname, '../src/keepsake.ts');
    const script = '{ "$0" --conditions=@keepsake/source "$1" export; echo "ended with $?" >&2; } | head -n 1';
    const shell = spawn('sh', ['-c', script, process.execPath, program], { cwd });
    let [stdout, stderr] = ['', ''];
    shell.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    shell.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    await new Promise((resolve) => shell.on('close', resolve));
    expect(JSON.parse(stdout)).toMatchObject({ id: '0' });
    expect(stderr).toBe('ended with 0\n');
  });
});
