import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileStore } from '@keepsake/file';
import { rounds } from '@keepsake/testing/share';
import { describe, expect, it } from 'vitest';
import { keepsake, keepsakeProcess, Running } from './keepsake.ts';
import { useDirectories } from './use-directories.ts';

const temporaryDirectory = useDirectories();
const storeIn = (cwd: string) => new FileStore({ directory: join(cwd, '.keepsake'), name: 'test' });

function lines(count: number, from = 0): string {
  const line = (n: number) => JSON.stringify({ role: n % 2 === 0 ? 'user' : 'assistant', content: `Line ${n}` });
  return Array.from({ length: count }, (_, index) => `${line(from + index)}\n`).join('');
}

async function contents(cwd: string): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await storeIn(cwd).list({
      order: 'oldest',
      limit: 1_000,
      ...(cursor === undefined ? {} : { cursor }),
    });
    found.push(...page.items.map(({ content }) => content));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return found;
}

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `Line ${n}`);

/** Waits until a condition on the files is true, and fails if the program ends before. */
async function until(condition: () => boolean | Promise<boolean>, running: Running): Promise<void> {
  let ended = false;
  void running.end.then(() => {
    ended = true;
  });
  while (!(await condition())) {
    if (ended) throw new Error(`The program ended first: ${running.stdout}${running.stderr}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe.concurrent('an import', () => {
  it('of a file that has grown adds the new lines', async () => {
    const cwd = temporaryDirectory();
    const file = join(cwd, 'log.jsonl');
    writeFileSync(file, lines(3));
    await keepsake(['import', 'log.jsonl'], { cwd });
    writeFileSync(file, lines(5));
    expect((await keepsake(['import', 'log.jsonl'], { cwd })).stdout).toBe('2 added, 3 already there.\n');
    expect(await contents(cwd)).toEqual(numbered(5));
  });

  it('with --redact stores no secrets, and adds nothing when it runs again', async () => {
    const cwd = temporaryDirectory();
    const said = { role: 'user', content: 'Use DB_PASSWORD=hunter2hunter for it.', createdAt: '2026-01-01T00:00:00Z' };
    writeFileSync(join(cwd, 'log.jsonl'), `${JSON.stringify(said)}\n`);
    const imported = await keepsake(['import', 'log.jsonl', '--redact'], { cwd });
    expect(imported.stdout).toBe('1 added, 0 already there.\n');
    expect(await contents(cwd)).toEqual(['Use DB_PASSWORD=[redacted] for it.']);
    const again = await keepsake(['import', 'log.jsonl', '--redact'], { cwd });
    expect(again.stdout).toBe('0 added, 1 already there.\n');
  });

  it('keeps conversations with the same start apart', async () => {
    const cwd = temporaryDirectory();
    const talk = (...said: string[]) =>
      [{ role: 'system', content: 'Be kind.' }, ...said.map((content) => ({ role: 'user', content }))]
        .map((line) => JSON.stringify(line))
        .join('\n');
    await keepsake(['import', '-'], { cwd, input: talk('Hi', 'I am Ann.') });
    await keepsake(['import', '-'], { cwd, input: talk('Hi', 'I am Ben.') });
    await keepsake(['import', '-'], { cwd, input: talk('Good morning') });
    const { items } = await storeIn(cwd).list({ order: 'oldest' });
    expect(items.map(({ content }) => content)).toEqual([
      'Be kind.',
      'Hi',
      'I am Ann.',
      'I am Ben.',
      'Be kind.',
      'Good morning',
    ]);
    expect(new Set(items.map(({ turn }) => turn?.thread)).size).toBe(2);
  });

  it('writes to the namespace given by --namespace', async () => {
    const cwd = temporaryDirectory();
    await keepsake(['import', '-', '-n', 'u:alice'], { cwd, input: lines(1) });
    expect(await contents(cwd)).toEqual([]);
    expect((await storeIn(cwd).within(['u', 'alice']).list()).items).toHaveLength(1);
  });

  it('reports broken lines with their numbers and goes on; a corrected line is added where it belongs', async () => {
    const cwd = temporaryDirectory();
    const file = join(cwd, 'log.jsonl');
    writeFileSync(file, `${lines(3)}{"role":"user","content":"Line 3\n${lines(1, 4)}[]\n${lines(1, 6)}`);
    expect(await keepsake(['import', file], { cwd })).toMatchObject({
      exitCode: 1,
      stdout: '5 added, 0 already there, 2 skipped (cannot be read).\n',
      stderr: expect.stringMatching(
        /^\S+log\.jsonl: line 4 is not JSON\.\n\S+log\.jsonl: line 6 is not a JSON object\.\n/,
      ),
    });
    writeFileSync(file, lines(7));
    expect(await keepsake(['import', file], { cwd })).toMatchObject({
      exitCode: 0,
      stdout: '2 added, 5 already there.\n',
    });
    const { items } = await storeIn(cwd).list();
    const inThread = items.toSorted((one, other) => (one.turn?.index ?? 0) - (other.turn?.index ?? 0));
    expect(inThread.map(({ content }) => content)).toEqual(numbered(7));
  });

  it('stops at a broken line in the start of a conversation, which identifies it', async () => {
    const cwd = temporaryDirectory();
    const input = `{"role":"system","content":"Be brief"}\nbroken\n${lines(2)}`;
    expect(await keepsake(['import', '-'], { cwd, input })).toMatchObject({
      exitCode: 1,
      stdout: '0 added, 0 already there.\n',
      stderr: expect.stringContaining('line 2 is not a JSON object'),
    });
  });

  it('with --strict stops at a broken line, names it, and keeps everything before it', async () => {
    const cwd = temporaryDirectory();
    const file = join(cwd, 'log.jsonl');
    writeFileSync(file, `${lines(1_200)}{"role":"user","content":"Line 12\n${lines(3, 1_201)}`);
    const broken = await keepsake(['import', file, '--strict'], { cwd });
    expect(broken).toMatchObject({ exitCode: 1, stdout: '1200 added, 0 already there.\n' });
    expect(broken.stderr).toBe(
      `keepsake: ${file}: line 1201 is not JSON.\nEverything before it was imported. Fix it and run the same command again to add the rest.\n`,
    );
    expect(await contents(cwd)).toEqual(numbered(1_200));
    writeFileSync(file, lines(1_204));
    expect((await keepsake(['import', file], { cwd })).stdout).toBe('4 added, 1200 already there.\n');
    expect(await contents(cwd)).toEqual(numbered(1_204));
  });

  it('skips content that is too large, names the line, and continues', async () => {
    const cwd = temporaryDirectory();
    const large = JSON.stringify({ role: 'user', content: 'x'.repeat(1024 * 1024 + 1) });
    const ended = await keepsake(['import', '-'], { cwd, input: `${lines(2)}${large}\n${lines(1, 3)}` });
    expect(ended).toMatchObject({
      exitCode: 1,
      stdout: '3 added, 0 already there, 1 skipped (over 1 MiB: line 3).\n',
    });
    expect(await contents(cwd)).toEqual(['Line 0', 'Line 1', 'Line 3']);
  });

  it('prints the same result as JSON with --json', async () => {
    const cwd = temporaryDirectory();
    const blank = JSON.stringify({ role: 'user', content: ' ' });
    const ended = await keepsake(['import', '-', '--json'], { cwd, input: `${lines(2)}${blank}\nnot JSON\n` });
    expect(ended.exitCode).toBe(1);
    const broken = ['line 4 is not a JSON object.'];
    expect(JSON.parse(ended.stdout)).toEqual({
      ...{ added: 2, alreadyThere: 0, extended: 0, blank: 1, expired: 0, tooLarge: [], broken },
    });
    expect(ended.stderr).toBe('');
    const strict = await keepsake(['import', '-', '--json', '--strict'], { cwd, input: `${lines(1)}not JSON\n` });
    expect(JSON.parse(strict.stderr)).toEqual({
      error: { code: 'INPUT', message: expect.stringContaining('line 2 is not a JSON object') },
    });
  });

  it('by two concurrent processes adds each line once', async () => {
    const cwd = temporaryDirectory();
    // Several batches of 500.
    const count = rounds(3_000, 1_200);
    writeFileSync(join(cwd, 'log.jsonl'), lines(count));
    const both = [1, 2].map(() => keepsakeProcess(['import', 'log.jsonl', '--json'], { cwd }));
    const ended = await Promise.all(both);
    expect(ended.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual([
      { exitCode: 0, stderr: '' },
      { exitCode: 0, stderr: '' },
    ]);
    const tallies = ended.map(({ stdout }) => JSON.parse(stdout));
    expect(tallies.map(({ added, alreadyThere }) => added + alreadyThere)).toEqual([count, count]);
    expect(tallies[0].added + tallies[1].added).toBe(count);
    expect((await contents(cwd)).sort()).toEqual(numbered(count).sort());
  });

  it('that waits for input stores what it has at Ctrl-C, and the next import adds the rest', async () => {
    const cwd = temporaryDirectory();
    const running = new Running(['import', '-'], { cwd });
    // A batch has 500 records: the last of these wait for more. What is said of the broken line shows that they are read.
    running.input.write(`${lines(1_100)}broken\n`);
    await until(() => running.stderr.includes('line 1101'), running);
    expect(await contents(cwd)).toEqual(numbered(1_000));
    running.interrupt();
    expect(await running.end).toMatchObject({
      exitCode: 130,
      stdout: '1100 added, 0 already there, 1 skipped (cannot be read).\n',
      stderr: expect.stringMatching(
        /^line 1101 .*\nkeepsake: Interrupted\. The counted memories are stored\. Run the same command again to add the rest\.\n$/,
      ),
    });
    expect(await contents(cwd)).toEqual(numbered(1_100));
    const again = await keepsake(['import', '-'], { cwd, input: lines(1_300) });
    expect(again).toMatchObject({ exitCode: 0, stdout: '200 added, 1100 already there.\n' });
    expect(await contents(cwd)).toEqual(numbered(1_300));
  });

  it('explains that the directory is a file', async () => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, '.keepsake'), '');
    const ended = await keepsake(['import', '-'], { cwd, input: lines(1) });
    expect(ended).toMatchObject({ exitCode: 1, stdout: '0 added, 0 already there.\n' });
    expect(ended.stderr).toMatch(/^keepsake: Part of the path to the directory is a file\..*\n\(ENOTDIR: .*\)\n$/);
  });

  it('explains a missing write permission, and recall still works', async () => {
    const cwd = temporaryDirectory();
    await keepsake(['import', '-'], { cwd, input: lines(3) });
    const nodeArgs = [`--import=${join(import.meta.dirname, 'programs/as-anybody.ts')}`];
    const forbid = (folder: string) => {
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (entry.isDirectory()) forbid(join(folder, entry.name));
        else chmodSync(join(folder, entry.name), 0o444);
      }
      chmodSync(folder, 0o555);
    };
    forbid(join(cwd, '.keepsake'));
    const ended = await keepsakeProcess(['import', '-'], { cwd, input: lines(4), nodeArgs });
    expect(ended).toMatchObject({ exitCode: 1, stdout: '0 added, 0 already there.\n' });
    expect(ended.stderr).toMatch(
      /^keepsake: This user has no permission to read or write the directory\..*\n\(EACCES: .*\)\n$/,
    );
    const recalled = await keepsakeProcess(['recall', 'Line 2'], { cwd, nodeArgs });
    expect(recalled).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Line 2'), stderr: '' });
    // A directory that does not exist and cannot be created.
    mkdirSync(join(cwd, 'sealed'), { mode: 0o555 });
    const made = await keepsakeProcess(['remember', 'Hi', '-d', 'sealed/.keepsake'], { cwd, nodeArgs });
    expect(made).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining('EACCES') });
  });

  it('explains that the file is missing, a directory, or unreadable', async () => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, 'secret.jsonl'), lines(1), { mode: 0o000 });
    const nodeArgs = [`--import=${join(import.meta.dirname, 'programs/as-anybody.ts')}`];
    expect(await keepsake(['import', 'nowhere.jsonl'], { cwd })).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: 'keepsake: There is no file nowhere.jsonl.\n',
    });
    expect((await keepsake(['import', '.'], { cwd })).stderr).toBe('keepsake: . is a directory. Pass a file.\n');
    expect((await keepsakeProcess(['import', 'secret.jsonl'], { cwd, nodeArgs })).stderr).toBe(
      'keepsake: This user has no permission to read secret.jsonl.\n',
    );
    expect(existsSync(join(cwd, '.keepsake'))).toBe(false);
  });
});
