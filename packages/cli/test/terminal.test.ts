import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { FileSession, FileStore } from '@keepsake/file';
import stringWidth from 'fast-string-width';
import { describe, expect, it } from 'vitest';
import { keepsake, Terminal } from './keepsake.ts';
import { writeSlowConfig } from './slow-config.ts';
import { useDirectories } from './use-directories.ts';

const temporaryDirectory = useDirectories();
const COLUMNS = 60;
const ESCAPE = '\u001b[';

/** The content of a terminal after the program exits, with and without colours. */
async function screen(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) {
  const terminal = new Terminal(args, { cwd, env }, COLUMNS);
  const exitCode = await terminal.end;
  const text = terminal.text.replaceAll('\r\n', '\n');
  return { exitCode, text, lines: stripVTControlCharacters(text).split('\n') };
}

describe.concurrent('on a terminal', () => {
  it('erase-user claims nothing about shared entries without --shared', { tags: ['nightly'] }, async () => {
    const cwd = temporaryDirectory();
    const store = new FileStore({ directory: join(cwd, '.keepsake'), name: 'test' });
    await store.within(['docs']).put({ content: 'shared', metadata: { writtenBy: 'u:alice' } });
    const said = async (...args: string[]) =>
      (await screen(['erase-user', 'alice', ...args], cwd)).lines.join('').replace(/\s+/g, ' ').trim();
    expect(await said()).toBe(
      'There is no data of user alice. Shared entries were not checked. Add --shared to include them.',
    );
    expect(await said('--shared')).toBe('Erased 1 shared entry of user alice. Nothing is left.');
    expect(await said('--shared')).toBe('There is no data of user alice.');
  });

  it('erase-user says that it could not reach a session whose files are damaged', { tags: ['nightly'] }, async () => {
    const cwd = temporaryDirectory();
    const directory = join(cwd, '.keepsake');
    await new FileSession({ directory, sessionId: 'u:alice' }).addItems([{ content: 'x' }]);
    for (const { parentPath, name } of readdirSync(directory, { recursive: true, withFileTypes: true })) {
      const file = join(parentPath, name);
      if (statSync(file).isFile()) writeFileSync(file, '#'.repeat(statSync(file).size));
    }
    const { lines } = await screen(['erase-user', 'alice', '--shared'], cwd);
    expect(lines.join(' ').replace(/\s+/g, ' ').trim()).toBe(
      'There is no other data of user alice. Damage has taken the names of 1 session or namespace, which may be theirs. Run keepsake doctor to find them. keepsake: Skipped damaged lines in 1 log. Run keepsake doctor.',
    );
  });

  it('memories are wrapped to its width, with colours and local times', async () => {
    const cwd = temporaryDirectory();
    const store = new FileStore({ directory: join(cwd, '.keepsake'), name: 'test' });
    await store.put({
      id: 'fern',
      content: `Zoë: The key is under the fern. ${'很长的句子没有空格'.repeat(6)} ${'verylongword'.repeat(8)}\n\nEnd.`,
      createdAt: '2026-01-02T03:04:05.678Z',
      turn: { thread: 't', index: 0, speaker: 'Zoë' },
    });
    const { exitCode, text, lines } = await screen(['recall', 'Where is the key?'], cwd, { TZ: 'Europe/Lisbon' });
    expect(exitCode).toBe(0);
    expect(text).toContain(ESCAPE);
    expect(lines[0]).toMatch(/^ *\d+\.\d\d {2}2026-01-02 03:04 {2}Zoë {2}fern$/);
    expect(lines[1]).toMatch(/^ {2}The key is under the fern\./);
    expect(lines.slice(-4)).toEqual([expect.stringMatching(/^ {2}(verylongword)*/), '  ', '  End.', '']);
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(COLUMNS);
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeGreaterThan(COLUMNS - 12);
  });

  it('the explanation of a score is below the text', { tags: ['nightly'] }, async () => {
    const cwd = temporaryDirectory();
    await keepsake(['remember', 'The key is under the fern.'], { cwd });
    const { lines } = await screen(['recall', 'key', '--explain'], cwd);
    expect(lines.slice(1)).toEqual([
      '  The key is under the fern.',
      expect.stringMatching(/^ {2}\(words \d\.\d\d \+ around \d\.\d\d\)$/),
      '',
    ]);
  });

  it('NO_COLOR removes the colours', async () => {
    const cwd = temporaryDirectory();
    await keepsake(['remember', 'The key is under the fern.'], { cwd });
    expect((await screen(['list'], cwd, { NO_COLOR: '1' })).text).not.toContain(ESCAPE);
    expect((await screen(['list', '--json'], cwd)).text).not.toContain(ESCAPE);
  });

  it('output to a pipe has no colours and no wrapping, whatever the terminal', async () => {
    const cwd = temporaryDirectory();
    await keepsake(['remember', 'word '.repeat(100).trim()], { cwd });
    const { stdout } = await keepsake(['list'], { cwd, env: { TERM: 'xterm-256color', COLUMNS: '40' } });
    expect(stdout).not.toContain(ESCAPE);
    expect(stdout.split('\n')).toHaveLength(2);
  });

  it('lists truncate long memories and print how to see more', async () => {
    const cwd = temporaryDirectory();
    const store = new FileStore({ directory: join(cwd, '.keepsake'), name: 'test' });
    await store.putMany([{ content: 'Older' }, { content: 'word '.repeat(200) }]);
    const { lines } = await screen(['list', '-l', '1'], cwd);
    expect(lines.filter((line) => line.includes('word'))).toHaveLength(4);
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}… \d+ more lines; --json prints all$/));
    expect(lines.join('\n')).toContain('More results: --cursor ');
  });

  it('sessions and namespaces are printed in columns', { tags: ['nightly'] }, async () => {
    const cwd = temporaryDirectory();
    const directory = join(cwd, '.keepsake');
    await new FileSession({ directory, sessionId: '会话' }).addItems([{ role: 'user', content: 'Hi' }]);
    await new FileSession({ directory, sessionId: 'a-longer-id' }).addItems(Array.from({ length: 1_200 }, () => ({})));
    await new FileStore({ directory, name: 'test' }).put({ content: 'x' });
    const sessions = await screen(['sessions'], cwd);
    expect(sessions.lines.slice(0, 3)).toEqual([
      expect.stringMatching(/^session {6}items {2}last activity {5}created$/),
      expect.stringMatching(/^a-longer-id {2}1,200 {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}\d{4}-\d\d-\d\d \d\d:\d\d$/),
      expect.stringMatching(/^会话 {9}1 {6}\d{4}-/),
    ]);
    expect((await screen(['sessions', 'show', '会话'], cwd)).lines).toEqual(['user', '  Hi', '']);
    expect((await screen(['namespaces'], cwd)).lines).toEqual(['namespace  memories', '(root)     1', '']);
    expect((await screen(['doctor'], cwd)).lines.slice(-2)).toEqual(['No problems found.', '']);
  });

  it('a table fits the terminal, with ids that are shortened to a prefix', { tags: ['nightly'] }, async () => {
    const cwd = temporaryDirectory();
    const sessionId = '0199d2f0-7a3b-7000-8000-0123456789ab';
    await new FileSession({ directory: join(cwd, '.keepsake'), sessionId }).addItems([{ role: 'user', content: 'Hi' }]);
    const { lines } = await screen(['sessions'], cwd);
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBe(COLUMNS);
    const [prefix = ''] = /^[0-9a-f-]+(?=…)/.exec(lines[1] ?? '') ?? [];
    expect((await keepsake(['sessions', 'show', prefix], { cwd })).stdout).toBe('user\tHi\n');
  });

  it('memories are headed by one line, with an id that can be copied as it is shown', async () => {
    const cwd = temporaryDirectory();
    await keepsake(['remember', 'The key is under the fern.'], { cwd });
    const { lines } = await screen(['list'], cwd);
    expect(stringWidth(lines[0] ?? '')).toBe(COLUMNS);
    const [shown = ''] = /content-[0-9a-f]+…$/.exec(lines[0] ?? '') ?? [];
    expect((await keepsake(['forget', shown], { cwd })).stdout).toMatch(/^content-[0-9a-f]{64}\n$/);
  });

  it('remember without a text fails and shows how to pass one', { tags: ['nightly'] }, async () => {
    const { exitCode, text } = await screen(['remember'], temporaryDirectory());
    expect(exitCode).toBe(2);
    expect(text).toContain('Missing text. Pass one: keepsake remember "');
  });

  it('an import shows its progress; Ctrl-C ends it, and the next import continues', async () => {
    const cwd = temporaryDirectory();
    const lines = Array.from(
      { length: 5_000 },
      (_, n) => `${JSON.stringify({ role: 'user', content: `Line ${n}` })}\n`,
    );
    writeFileSync(join(cwd, 'long.jsonl'), lines.join(''));
    writeSlowConfig(cwd, 'file', "FileStore({ directory: 'memory', name: 'memory' })");
    const terminal = new Terminal(['import', 'long.jsonl', '--config', 'slow.config.mjs'], { cwd }, 100);
    await terminal.shows(/━.* \d+% {2}[\d,]+ read, [\d,]+ per second/);
    terminal.type('\u0003');
    expect(await terminal.end).toBe(130);
    const last = stripVTControlCharacters(terminal.text).split('\r').join('\n');
    expect(last).toContain('Interrupted. The counted memories are stored');
    const added = Number(/([\d,]+) added, 0 already there\./.exec(last)?.[1]?.replaceAll(',', ''));
    expect(added).toBeGreaterThan(0);
    expect(added).toBeLessThan(5_000);
    const rest = await keepsake(['import', 'long.jsonl', '--directory', 'memory'], { cwd });
    expect(rest).toMatchObject({
      exitCode: 0,
      stdout: `${5_000 - added} added, ${added} already there.\n`,
      stderr: '',
    });
  });
});
