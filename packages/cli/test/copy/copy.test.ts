import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { FileSessionStore, FileStore } from '@keepsake/file';
import { SqliteSessionStore, SqliteStore } from '@keepsake/sqlite';
import { putTimes } from '@keepsake/testing/put-times';
import { describe, expect, it } from 'vitest';
import { keepsake, Terminal } from '../keepsake.ts';
import { writeSlowConfig } from '../slow-config.ts';
import { useDirectories } from '../use-directories.ts';

const temporaryDirectory = useDirectories();

function openBoth(cwd: string) {
  const directory = join(cwd, 'files');
  const file = join(cwd, 'm.db');
  return {
    from: { store: new FileStore({ directory, name: 'memory' }), sessions: new FileSessionStore({ directory }) },
    to: { store: new SqliteStore({ file, name: 'memory' }), sessions: new SqliteSessionStore({ file }) },
  };
}

const copy = (cwd: string, ...args: string[]) =>
  keepsake(['copy', '--from', 'files', '--to', 'm.db', ...args], { cwd });

describe.concurrent('copy', () => {
  it('adds what is new at the source, and names what was changed at the destination', async () => {
    const cwd = temporaryDirectory();
    const { from, to } = openBoth(cwd);
    await from.store.putMany([
      { id: 'seat', content: 'Aisle' },
      { id: 'city', content: 'Berlin' },
    ]);
    await from.sessions.open('chat').addItems([{ n: 1 }]);
    expect(await copy(cwd)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(
        /^Copied 2 memories and 1 session\. Already there: 0 memories and 0 sessions\.\nVerified: 2 memories, 1 session, 1 item\. Digest: [0-9a-f]{16}\.\n$/,
      ),
      stderr: '',
    });

    await from.store.put({ id: 'city', content: 'Lisbon' });
    await from.sessions.open('chat').addItems([{ n: 2 }]);
    await to.store.put({ id: 'seat', content: 'Window' });
    await to.store.put({ id: 'own', content: 'Stays' });
    const ended = await copy(cwd);
    expect(ended.exitCode).toBe(1);
    expect(ended.stdout).toMatch(
      /^Copied 1 memory and 1 session\. Already there: 1 memory and 0 sessions\.\nVerified: 1 memory, /,
    );
    expect(ended.stderr).toBe(
      'Not the same: memory seat of the root namespace\nThey were changed at the destination, or during the copy. Run it again.\n',
    );
    expect(await to.store.get('city')).toMatchObject({ content: 'Lisbon', version: putTimes(2) });
    expect(await to.store.get('seat')).toMatchObject({ content: 'Window' });
    expect(await to.store.get('own')).toBeDefined();
    expect(await to.sessions.open('chat').getItems()).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('leaves a session alone that somebody else wrote to', async () => {
    const cwd = temporaryDirectory();
    const { from, to } = openBoth(cwd);
    await from.sessions.open('chat').addItems([{ n: 1 }, { n: 2 }]);
    await to.sessions.open('chat').addItems([{ n: 'other' }]);
    const ended = await copy(cwd, '--json');
    expect(ended.exitCode).toBe(1);
    expect(JSON.parse(ended.stdout).verified).toMatchObject({ sessions: 0, differences: ['session chat'] });
    expect(await to.sessions.open('chat').getItems()).toEqual([{ n: 'other' }]);
  });

  it('copies one namespace with those below it, without sessions', async () => {
    const cwd = temporaryDirectory();
    const { from, to } = openBoth(cwd);
    for (const path of [
      ['u', 'alice'],
      ['u', 'alice', 'trips'],
      ['u', 'alice2'],
    ]) {
      await from.store.within(path).add(`of ${path.join(':')}`);
    }
    await from.sessions.open('chat').addItems([{ n: 1 }]);
    expect(await copy(cwd, '-n', 'u:alice')).toMatchObject({ exitCode: 0, stderr: '' });
    const { items } = await to.store.list({ descendants: true });
    expect(items.map(({ content }) => content)).toEqual(['of u:alice', 'of u:alice:trips']);
    expect((await to.sessions.list()).items).toEqual([]);
  });

  it('refuses ends that are the same, missing or empty, and creates nothing', async () => {
    const cwd = temporaryDirectory();
    for (const [from, to, exitCode, words] of [
      ['files', './files', 2, '--from and --to are the same.'],
      ['files', 'm.db', 3, 'There is no directory files.'],
      ['old.db', 'm.db', 3, 'There is no file old.db.'],
      ['', 'm.db', 2, '--from must be a configuration, an SQLite file or a directory.'],
      ['files', 'keepsake.config.mjs', 3, 'There is no directory files.'],
    ] as const) {
      const ended = await keepsake(['copy', '--from', from, '--to', to], { cwd });
      expect(ended).toMatchObject({ exitCode, stdout: '', stderr: `keepsake: ${words}\n` });
    }
    expect(await keepsake(['copy', '--from', 'files'], { cwd })).toMatchObject({ exitCode: 2 });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('shows its progress on a terminal; Ctrl-C ends it, and the next copy continues', async () => {
    const cwd = temporaryDirectory();
    const { from } = openBoth(cwd);
    await from.store.putMany(Array.from({ length: 4_000 }, (_, n) => ({ id: `n${n}`, content: `Line ${n}` })));
    writeSlowConfig(cwd, 'sqlite', "SqliteStore({ file: 'm.db', name: 'memory' })");
    const terminal = new Terminal(['copy', '--from', 'files', '--to', 'slow.config.mjs'], { cwd }, 100);
    await terminal.shows(/[\d,]+ copied, [\d,]+ per second/);
    terminal.type('\u0003');
    expect(await terminal.end).toBe(130);
    const last = stripVTControlCharacters(terminal.text).split('\r').join('\n');
    const copied = Number(/Copied ([\d,]+) memories/.exec(last)?.[1]?.replaceAll(',', ''));
    expect(copied).toBeGreaterThan(0);
    expect(copied).toBeLessThan(4_000);
    const rest = JSON.parse((await copy(cwd, '--json')).stdout);
    expect(rest.records).toEqual({ copied: 4_000 - copied, alreadyThere: copied });
    expect(rest.verified).toMatchObject({ records: 4_000, differences: [] });
  });

  it('copies memories to a configuration without sessions, and nothing if there are sessions to copy', async () => {
    const cwd = temporaryDirectory();
    const { from } = openBoth(cwd);
    await from.store.add('Prefers aisle seats');
    symlinkSync(join(import.meta.dirname, '../../../../node_modules'), join(cwd, 'node_modules'));
    const code = `import { FileStore } from '@keepsake/file';
      export default { memory: () => new FileStore({ directory: '${join(cwd, 'target')}', name: 'memory' }) };`;
    writeFileSync(join(cwd, 'to.config.mjs'), code);
    const ended = await keepsake(['copy', '--from', 'files', '--to', 'to.config.mjs'], { cwd });
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    await from.store.add('Prefers window seats');
    await from.sessions.open('chat').addItems([{ n: 1 }]);
    const refused = await keepsake(['copy', '--from', 'files', '--to', 'to.config.mjs'], { cwd });
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toMatch(/has no `sessions`/);
    expect((await keepsake(['list', '--config', 'to.config.mjs'], { cwd })).stdout).not.toContain('window');
  });
});
