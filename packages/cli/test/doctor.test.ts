import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileSession, FileStore } from '@keepsake/file';
import { describe, expect, it } from 'vitest';
import { keepsake } from './keepsake.ts';
import { useDirectories } from './use-directories.ts';

const temporaryDirectory = useDirectories();

async function filled(): Promise<string> {
  const cwd = temporaryDirectory();
  const directory = join(cwd, '.keepsake');
  await new FileSession({ directory, sessionId: 'chat' }).addItems([{ n: 'first' }, { n: 'second' }]);
  await new FileStore({ directory, name: 'test', namespace: ['user'] }).putMany([{ content: 'x' }, { content: 'y' }]);
  await new FileStore({ directory, name: 'test' }).put({ content: 'z' });
  return cwd;
}

/** Damages a word in the log of the only session. */
function damageSession(cwd: string): void {
  const sessions = join(cwd, '.keepsake/sessions');
  const names = readdirSync(sessions, { recursive: true, encoding: 'utf8' });
  const log = join(sessions, names.find((name) => name.endsWith('.jsonl')) ?? '');
  writeFileSync(log, readFileSync(log, 'utf8').replace('first', 'worst'));
}

describe.concurrent('doctor', () => {
  it('prints totals and finds no problems', async () => {
    const cwd = await filled();
    const { exitCode, stdout, stderr } = await keepsake(['doctor'], { cwd });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^1 session with 2 items, 2 namespaces with 3 memories, \d+ bytes\nNo problems found\.\n$/);
    const json = await keepsake(['doctor', '--json'], { cwd });
    expect(JSON.parse(json.stdout)).toEqual({
      sessions: 1,
      items: 2,
      namespaces: 2,
      records: 3,
      bytes: expect.any(Number),
      problems: [],
    });
  });

  it('reports damage and exits with 1 while it remains', async () => {
    const cwd = await filled();
    damageSession(cwd);
    const { exitCode, stdout } = await keepsake(['doctor'], { cwd });
    expect(exitCode).toBe(1);
    expect(stdout.split('\n')[0]).toMatch(/^repairable\tsession\tchat\t.*Line 1 of the log is damaged/);
    expect(stdout).toMatch(/\n1 problem, 1 can be repaired: run keepsake doctor --repair\.\n$/);
    const json = await keepsake(['doctor', '--json'], { cwd });
    expect(json.exitCode).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      problems: [{ folderKind: 'session', of: 'chat', repaired: false }],
    });
  });

  it('repairs what can be repaired and names what it cannot', async () => {
    const cwd = await filled();
    damageSession(cwd);
    const repaired = await keepsake(['doctor', '--repair'], { cwd });
    expect(repaired.exitCode).toBe(0);
    expect(repaired.stdout).toMatch(/^repaired\tsession\tchat\t/);
    expect(repaired.stdout).toMatch(/\n1 problem, 1 repaired\.\n$/);
    expect(await keepsake(['doctor'], { cwd })).toMatchObject({ exitCode: 0 });
    const { stdout, stderr } = await keepsake(['sessions', 'show', 'chat'], { cwd });
    expect({ stdout, stderr }).toEqual({ stdout: 'item\t{"n":"second"}\n', stderr: '' });

    const folder = join(cwd, '.keepsake/sessions/00', `lost-${'0'.repeat(40)}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'lock-1-free'), '');
    const lost = await keepsake(['doctor', '--repair'], { cwd });
    expect(lost.exitCode).toBe(1);
    expect(lost.stdout).toMatch(/^damaged\tsession\t\t.*The log is missing/);
    expect(lost.stdout).toMatch(/\n1 session with 1 item, .*\n1 problem, 1 cannot be repaired automatically\.\n$/);
  });

  it('is recommended by commands that find damage', async () => {
    const cwd = await filled();
    damageSession(cwd);
    const shown = await keepsake(['sessions', 'show', 'chat'], { cwd });
    expect(shown).toMatchObject({
      exitCode: 0,
      stdout: 'item\t{"n":"second"}\n',
      stderr: 'keepsake: Skipped damaged lines in 1 log. Run keepsake doctor.\n',
    });
    const json = await keepsake(['sessions', 'show', 'chat', '--json'], { cwd });
    expect(JSON.parse(json.stdout)).toEqual({ items: [{ n: 'second' }] });
    expect(JSON.parse(json.stderr)).toEqual({ warning: { code: 'CORRUPT', message: expect.any(String) } });
  });

  it('exits with 3 without a directory and creates none', async () => {
    const cwd = temporaryDirectory();
    expect(await keepsake(['doctor'], { cwd })).toMatchObject({
      exitCode: 3,
      stdout: '',
      stderr: 'There is no directory .keepsake.\n',
    });
    expect(readdirSync(cwd)).toEqual([]);
  });
});
