import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileSession, FileStore } from '@keepsake/file';
import { describe, expect, it } from 'vitest';
import { keepsake } from './keepsake.ts';
import { temporaryDirectory } from './temporary-directory.ts';

async function filled(): Promise<string> {
  const cwd = temporaryDirectory();
  const directory = join(cwd, '.keepsake');
  await new FileSession({ directory, sessionId: 'chat' }).addItems([{ n: 'first' }, { n: 'second' }]);
  await new FileStore({ directory, name: 'test', namespace: ['user'] }).putMany([{ content: 'x' }, { content: 'y' }]);
  await new FileStore({ directory, name: 'test' }).put({ content: 'z' });
  return cwd;
}

/** Changes a word in the log of the only session. */
function damageSession(cwd: string): void {
  const [session = ''] = readdirSync(join(cwd, '.keepsake/sessions')).filter((name) => !name.startsWith('.'));
  const folder = join(cwd, '.keepsake/sessions', session);
  const log = join(folder, readdirSync(folder).find((name) => name.endsWith('.jsonl')) ?? '');
  writeFileSync(log, readFileSync(log, 'utf8').replace('first', 'worst'));
}

describe.concurrent('the doctor', () => {
  it('counts what is there, and finds it sound', async () => {
    const cwd = await filled();
    const { exitCode, stdout, stderr } = await keepsake(['doctor'], { cwd });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^1 session with 2 items, 2 namespaces with 3 memories, \d+ bytes\nAll is sound\.\n$/);
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

  it('tells of damage, and ends with 1 while it is there', async () => {
    const cwd = await filled();
    damageSession(cwd);
    const { exitCode, stdout } = await keepsake(['doctor'], { cwd });
    expect(exitCode).toBe(1);
    expect(stdout.split('\n')[0]).toMatch(/^mendable\tsession\tchat\t.*Line 1 of the log is damaged/);
    expect(stdout).toMatch(/\n1 problem, 1 can be mended: run keepsake doctor --mend\.\n$/);
    const json = await keepsake(['doctor', '--json'], { cwd });
    expect(json.exitCode).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ problems: [{ folderKind: 'session', of: 'chat', mended: false }] });
  });

  it('mends what can be mended, and says what is left to a person', async () => {
    const cwd = await filled();
    damageSession(cwd);
    const mended = await keepsake(['doctor', '--mend'], { cwd });
    expect(mended.exitCode).toBe(0);
    expect(mended.stdout).toMatch(/^mended\tsession\tchat\t/);
    expect(mended.stdout).toMatch(/\n1 problem, 1 mended\.\n$/);
    expect(await keepsake(['doctor'], { cwd })).toMatchObject({ exitCode: 0 });
    const { stdout, stderr } = await keepsake(['sessions', 'show', 'chat'], { cwd });
    expect({ stdout, stderr }).toEqual({ stdout: 'item\t{"n":"second"}\n', stderr: '' });

    mkdirSync(join(cwd, '.keepsake/sessions', `lost-${'0'.repeat(40)}`));
    writeFileSync(join(cwd, '.keepsake/sessions', `lost-${'0'.repeat(40)}`, 'lock-1-free'), '');
    const lost = await keepsake(['doctor', '--mend'], { cwd });
    expect(lost.exitCode).toBe(1);
    expect(lost.stdout).toMatch(/^damaged\tsession\t\t.*The log is missing/);
    expect(lost.stdout).toMatch(/\n1 session with 1 item, .*\n1 problem, 1 can't be mended here\.\n$/);
  });

  it('is sent for by commands that come upon damage', async () => {
    const cwd = await filled();
    damageSession(cwd);
    const shown = await keepsake(['sessions', 'show', 'chat'], { cwd });
    expect(shown).toMatchObject({
      exitCode: 0,
      stdout: 'item\t{"n":"second"}\n',
      stderr: 'keepsake: Lines of a log are damaged and were left out. Run keepsake doctor.\n',
    });
    const json = await keepsake(['sessions', 'show', 'chat', '--json'], { cwd });
    expect(JSON.parse(json.stdout)).toEqual({ items: [{ n: 'second' }] });
    expect(JSON.parse(json.stderr)).toEqual({ warning: { code: 'CORRUPT', message: expect.any(String) } });
  });

  it('ends with 3 where there is nothing to check, and makes no directory', async () => {
    const cwd = temporaryDirectory();
    expect(await keepsake(['doctor'], { cwd })).toMatchObject({
      exitCode: 3,
      stdout: '',
      stderr: 'There is no directory .keepsake.\n',
    });
    expect(readdirSync(cwd)).toEqual([]);
  });
});
