import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FileSession, FileStore } from '@keepsake/file';
import { describe, expect, it } from 'vitest';
import { keepsake } from './keepsake.ts';
import { useDirectories } from './use-directories.ts';

const temporaryDirectory = useDirectories();

async function filled(): Promise<string> {
  const cwd = temporaryDirectory();
  const directory = join(cwd, '.keepsake');
  await new FileSession({ directory, sessionId: 'chat' }).addItems([{ n: 1 }]);
  await new FileStore({ directory, name: 'test' }).put({ content: 'The blue hive swarmed.' });
  return cwd;
}

describe.concurrent('backup', () => {
  it('copies the directory, and the copy can be used', async () => {
    const cwd = await filled();
    const { exitCode, stdout, stderr } = await keepsake(['backup', 'copy'], { cwd });
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 0,
      stdout: 'Backed up .keepsake to copy. 1 session, 1 namespace.\n',
      stderr: '',
    });
    const recalled = await keepsake(['recall', 'hive', '--directory', 'copy'], { cwd });
    expect(recalled.stdout).toContain('The blue hive swarmed.');
    const json = await keepsake(['backup', 'other', '--json'], { cwd });
    expect(JSON.parse(json.stdout)).toEqual({ target: 'other', sessions: 1, namespaces: 1, skipped: [] });
  });

  it('refuses a target that exists', async () => {
    const cwd = await filled();
    const { exitCode, stderr } = await keepsake(['backup', '.keepsake'], { cwd });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('A backup needs a new `target`');
  });

  it('exits with 3 if there is nothing to copy', async () => {
    const cwd = temporaryDirectory();
    for (const options of [[], ['--sqlite', 'memory.db']]) {
      const { exitCode, stderr } = await keepsake(['backup', 'copy', ...options], { cwd });
      expect(exitCode).toBe(3);
      expect(stderr).toMatch(/There is no (directory \.keepsake|file memory\.db)\./);
    }
    expect(existsSync(join(cwd, 'copy'))).toBe(false);
  });

  it('copies an SQLite file', async () => {
    const cwd = temporaryDirectory();
    await keepsake(['remember', 'The blue hive swarmed.', '--sqlite', 'memory.db'], { cwd });
    const { exitCode, stdout } = await keepsake(['backup', 'copy.db', '--sqlite', 'memory.db'], { cwd });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Backed up memory.db to copy.db.\n' });
    const recalled = await keepsake(['recall', 'hive', '--sqlite', 'copy.db'], { cwd });
    expect(recalled.stdout).toContain('The blue hive swarmed.');
  });
});
