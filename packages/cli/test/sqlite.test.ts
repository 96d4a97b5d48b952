import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConversationMemory } from '@keepsake/conversations';
import { MemorySpace } from '@keepsake/namespaces';
import { SqliteSessionStore, SqliteStore } from '@keepsake/sqlite';
import { describe, expect, it } from 'vitest';
import { keepsake } from './keepsake.ts';
import { useDirectories } from './use-directories.ts';

const temporaryDirectory = useDirectories();
const lines = (text: string) => text.trimEnd().split('\n');
const ids = (stdout: string) => lines(stdout).map((line) => JSON.parse(line).id);

/** Two users with memories, sessions and conversations, as an application would store them. */
async function filled(): Promise<string> {
  const cwd = temporaryDirectory();
  const file = join(cwd, 'm.db');
  const store = new SqliteStore({ file, name: 'memory' });
  const space = new MemorySpace({ store, sessions: new SqliteSessionStore({ file }), agents: { bot: {} } });
  for (const id of ['alice', 'alice2']) {
    const scope = space.as({ principal: { id }, agent: 'bot' });
    await scope.memory.put({ content: `memory of ${id}` });
    await scope.session('s').addItems([{ role: 'user', content: `said by ${id}` }]);
    const conversations = new ConversationMemory({ store, fullSessionMemory: true });
    const items = [{ role: 'user', content: `asked by ${id}` }];
    await conversations.for('agent', { userId: id }).save({ status: 'completed', items });
  }
  return cwd;
}

/** The bytes of the database and its write-ahead log, which exists because this process keeps the file open. */
function rawText(cwd: string): string {
  expect(readdirSync(cwd)).toContain('m.db-wal');
  return ['m.db', 'm.db-wal'].map((name) => readFileSync(join(cwd, name), 'latin1')).join('\n');
}

describe.concurrent('--sqlite', () => {
  it('stores an import in the file, where recall and list find it', async () => {
    const cwd = temporaryDirectory();
    copyFileSync(join(import.meta.dirname, 'fixtures/talk.jsonl'), join(cwd, 'talk.jsonl'));
    const imported = await keepsake(['import', 'talk.jsonl', '--sqlite', 'data/m.db'], { cwd });
    expect(imported).toMatchObject({
      exitCode: 0,
      stdout: '4 added, 0 already there, 2 skipped (no text).\n',
      stderr: '',
    });
    expect(readdirSync(cwd).sort()).toEqual(['data', 'talk.jsonl']);
    const found = await keepsake(['recall', 'Which hive swarmed?', '-l', '1', '-s', 'data/m.db', '--json'], { cwd });
    expect(JSON.parse(found.stdout).items).toMatchObject([{ content: 'The blue hive swarmed on Sunday.' }]);
    expect(lines((await keepsake(['list', '-s', 'data/m.db'], { cwd })).stdout)).toHaveLength(4);
  });

  it('exports what another file or a directory imports again', async () => {
    const cwd = temporaryDirectory();
    const input = Array.from({ length: 1_100 }, (_, n) => JSON.stringify({ id: `n${n}`, content: `Number ${n}` }));
    await keepsake(['import', '-', '-s', 'a.db', '-n', 'u:alice'], { cwd, input: input.join('\n') });
    await keepsake(['remember', 'Of the root', '-s', 'a.db'], { cwd });
    const exported = await keepsake(['export', '-s', 'a.db', '-n', 'u:alice'], { cwd });
    expect(ids(exported.stdout)).toEqual(Array.from({ length: 1_100 }, (_, n) => `n${n}`));
    for (const target of [
      ['-s', 'b.db'],
      ['-d', 'files'],
    ]) {
      await keepsake(['import', '-', ...target], { cwd, input: exported.stdout });
      expect(ids((await keepsake(['export', ...target], { cwd })).stdout)).toEqual(ids(exported.stdout));
    }
    expect((await keepsake(['namespaces', '-s', 'a.db'], { cwd })).stdout).toBe('\t1\nu:alice\t1100\n');
    expect((await keepsake(['forget', 'n0', '-s', 'b.db'], { cwd })).stdout).toBe('n0\n');
  });

  it('lists, shows and deletes sessions', async () => {
    const cwd = temporaryDirectory();
    const sessions = new SqliteSessionStore({ file: join(cwd, 'm.db') });
    await sessions.open('older').addItems([{ role: 'user', content: 'Hi' }]);
    await sessions.open('newer').addItems([{ a: 1 }, { a: 2 }]);
    const listed = await keepsake(['sessions', '-s', 'm.db'], { cwd });
    expect(lines(listed.stdout).map((line) => line.split('\t').slice(0, 2))).toEqual([
      ['newer', '2'],
      ['older', '1'],
    ]);
    expect((await keepsake(['sessions', 'show', 'older', '-s', 'm.db'], { cwd })).stdout).toBe('user\tHi\n');
    expect(await keepsake(['sessions', 'delete', 'older', 'x', '-s', 'm.db'], { cwd })).toMatchObject({
      exitCode: 3,
      stdout: 'older\n',
      stderr: 'There is no session x.\n',
    });
    expect(await keepsake(['sessions', 'show', 'older', '-s', 'm.db'], { cwd })).toMatchObject({
      exitCode: 3,
      stderr: 'There is no session older in m.db.\n',
    });
  });

  it('shows the namespaces of an agent and the conversations of a user', async () => {
    const cwd = await filled();
    expect(lines((await keepsake(['namespaces', '-a', 'bot', '-s', 'm.db'], { cwd })).stdout)).toEqual([
      'agent:bot:u:alice\t1\tprivate',
      'agent:bot:u:alice2\t1\tprivate',
    ]);
    const listed = await keepsake(['conversations', '--user', 'alice', '-s', 'm.db', '--json'], { cwd });
    expect(JSON.parse(listed.stdout).items).toMatchObject([{ userId: 'alice' }]);
  });

  it('exports and erases a user, and leaves none of their data in the bytes of the files', async () => {
    const cwd = await filled();
    const exported = await keepsake(['export-user', 'alice', '-s', 'm.db'], { cwd });
    for (const text of ['memory of alice', 'said by alice', 'asked by alice']) {
      expect(exported.stdout).toContain(text);
    }
    expect(exported.stdout).not.toContain('alice2');
    const dry = await keepsake(['erase-user', 'alice', '--dry-run', '-s', 'm.db'], { cwd });
    expect(rawText(cwd)).toMatch(/memory of alice\b/);
    const erased = await keepsake(['erase-user', 'alice', '-s', 'm.db'], { cwd });
    expect(erased).toMatchObject({ exitCode: 0, stdout: dry.stdout.replace(/^dry run.*\n/, ''), stderr: '' });
    expect(lines(erased.stdout).filter((line) => !line.endsWith('\t0'))).toEqual([
      'memories\t1',
      'sessions\t1',
      'session items\t1',
      'conversations\t1',
      'runs\t1',
    ]);
    expect(rawText(cwd)).not.toMatch(/alice\b/);
    expect(rawText(cwd)).toContain('memory of alice2');
  });

  it('is refused together with --directory, and by doctor', async () => {
    const cwd = temporaryDirectory();
    for (const [args, words] of [
      [['list', '-s', 'm.db', '-d', 'files'], 'Pass only one of --config, --directory and --sqlite.'],
      [
        ['remember', 'x', '--directory', '.keepsake', '--sqlite', 'm.db'],
        'Pass only one of --config, --directory and --sqlite.',
      ],
      [['list', '-s', ''], '--sqlite must be the path of a file, such as memory.db.'],
      [
        ['doctor', '-s', 'm.db'],
        'doctor checks directories. To check an SQLite file, run PRAGMA integrity_check on it.',
      ],
    ] as const) {
      expect(await keepsake(args, { cwd })).toMatchObject({ exitCode: 2, stdout: '', stderr: `keepsake: ${words}\n` });
    }
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('takes precedence over the directory in the environment', async () => {
    const cwd = temporaryDirectory();
    const env = { KEEPSAKE_DIRECTORY: 'mine' };
    expect(await keepsake(['remember', 'x', '-s', 'm.db'], { cwd, env })).toMatchObject({ exitCode: 0, stderr: '' });
    expect(readdirSync(cwd)).toContain('m.db');
    expect(readdirSync(cwd)).not.toContain('mine');
  });

  it('needs an existing file or directory for a command that does not add, and creates none', async () => {
    const cwd = temporaryDirectory();
    for (const args of [
      ['list'],
      ['recall', 'x'],
      ['sessions'],
      ['forget', 'x'],
      ['export'],
      ['erase-user', 'alice'],
    ]) {
      const ended = await keepsake([...args, '-s', 'data/m.db'], { cwd });
      expect(ended).toMatchObject({ exitCode: 3, stdout: '', stderr: 'keepsake: There is no file data/m.db.\n' });
      const files = await keepsake([...args, '-d', 'data/files'], { cwd });
      expect(files).toMatchObject({ exitCode: 3, stdout: '', stderr: 'keepsake: There is no directory data/files.\n' });
    }
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('names a file that is not an SQLite database', async () => {
    const cwd = temporaryDirectory();
    copyFileSync(join(import.meta.dirname, 'fixtures/claude.json'), join(cwd, 'm.db'));
    const ended = await keepsake(['list', '-s', 'm.db', '--json'], { cwd });
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(JSON.parse(ended.stderr).error).toMatchObject({ code: 'CORRUPT' });
  });
});
