import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ConversationMemory } from '@keepsake/conversations';
import { FileStore } from '@keepsake/file';
import { describe, expect, it } from 'vitest';
import { keepsake } from './keepsake.ts';
import { useDirectories } from './use-directories.ts';

const temporaryDirectory = useDirectories();
const memoryIn = (cwd: string) =>
  new ConversationMemory({
    store: new FileStore({ directory: join(cwd, '.keepsake'), name: 'test' }),
    fullSessionMemory: true,
    summaryMemory: { summariser: { summarise: async () => 'They \u001b[2J wait.' } },
  });

const run = (text: string) =>
  ({
    status: 'completed',
    items: [
      { role: 'user', content: text },
      { role: 'assistant', content: 'Yes.' },
    ],
  }) as const;

/** Stores two sessions of two users with the same id, and one without a user. */
async function fill(cwd: string): Promise<ConversationMemory> {
  const memory = memoryIn(cwd);
  await memory.for('agent', { sessionId: 'trip', userId: 'alice' }).save(run('To\tPorto?'));
  await memory.for('team', { sessionId: 'trip', userId: 'bob' }).save(run('To Faro?'));
  await memory.for('agent', { sessionId: 'lost' }).save({ status: 'paused', items: [] });
  return memory;
}

const fields = (stdout: string) => stdout.split('\n').map((line) => line.split('\t').slice(0, 3));

describe.concurrent('conversations', () => {
  it('list prints conversations newest first, by user and kind', async () => {
    const cwd = temporaryDirectory();
    await fill(cwd);
    const { exitCode, stdout, stderr } = await keepsake(['conversations'], { cwd });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const [lost, bobs, alices] = [
      ['lost', 'agent', ''],
      ['trip', 'team', 'bob'],
      ['trip', 'agent', 'alice'],
    ];
    expect(fields(stdout)).toEqual([lost, bobs, alices, ['']]);
    const list = async (...args: string[]) =>
      fields((await keepsake(['conversations', 'list', ...args], { cwd })).stdout);
    expect(await list('--kind', 'agent')).toEqual([lost, alices, ['']]);
    expect(await list('--user', 'alice')).toEqual([alices, ['']]);
    expect(await list('-u', 'alice', '-k', 'team')).toEqual([['']]);
    const page = JSON.parse((await keepsake(['conversations', '--json', '-l', '2'], { cwd })).stdout);
    expect(page.items).toMatchObject([{ key: { sessionId: 'lost' } }, { key: { kind: 'team' }, userId: 'bob' }]);
    expect(await list('--cursor', page.cursor)).toEqual([alices, ['']]);
    expect(await keepsake(['conversations', '-k', 'chat'], { cwd })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Allowed choices are agent, team, workflow'),
    });
    expect(await keepsake(['conversations', 'shwo'], { cwd })).toMatchObject({
      exitCode: 2,
      stderr: "keepsake: Unknown command 'shwo' of keepsake conversations. Use list, waiting, show or delete.\n",
    });
  });

  it('show prints a conversation with its summary', async () => {
    const cwd = temporaryDirectory();
    const memory = await fill(cwd);
    expect(await keepsake(['conversations', 'show', 'trip'], { cwd })).toMatchObject({
      exitCode: 0,
      stdout: 'user\tTo Porto?\nassistant\tYes.\n',
      stderr: 'They  wait.\n',
    });
    const bobs = await keepsake(['conversations', 'show', 'trip', '--kind', 'team', '-l', '1', '--json'], { cwd });
    expect(JSON.parse(bobs.stdout)).toEqual({
      session: await memory.for('team', { sessionId: 'trip', userId: 'bob' }).getSession(),
      items: [{ role: 'assistant', content: 'Yes.' }],
    });
    expect(await keepsake(['conversations', 'show', 'trip', '-k', 'workflow'], { cwd })).toMatchObject({
      exitCode: 3,
      stdout: '',
      stderr:
        'There is no conversation trip of kind workflow in the root namespace of .keepsake. Run keepsake namespaces to list all namespaces, and choose one with --namespace.\n',
    });
  });

  it('waiting prints the paused runs, newest first, by user and kind', async () => {
    const cwd = temporaryDirectory();
    const memory = await fill(cwd);
    const paused = { status: 'paused', items: [] } as const;
    const bob = memory.for('team', { sessionId: 'trip', userId: 'bob' });
    await bob.save({ ...paused, runId: 'refund-7', pauseReason: 'A person\nhas to \u001b[2Japprove.' });
    await memory.for('agent', { sessionId: 'trip', userId: 'alice' }).save({ ...paused, runId: 'order-1' });
    await memory.for('agent', { sessionId: 'trip', userId: 'alice' }).save({ runId: 'r', status: 'error', items: [] });
    const lines = async (...args: string[]) => {
      const { stdout } = await keepsake(['conversations', 'waiting', ...args], { cwd });
      return stdout.split('\n').map((line) => line.split('\t').toSpliced(4, 1));
    };
    const [order, refund] = [
      ['trip', 'agent', 'alice', 'order-1', ''],
      ['trip', 'team', 'bob', 'refund-7', 'A person has to approve.'],
    ];
    expect((await lines()).slice(0, 2)).toEqual([order, refund]);
    expect(await lines()).toHaveLength(4);
    expect(await lines('--user', 'alice')).toEqual([order, ['']]);
    expect(await lines('-k', 'team')).toEqual([refund, ['']]);
    const page = JSON.parse((await keepsake(['conversations', 'waiting', '--json', '-l', '1'], { cwd })).stdout);
    expect(page.items).toMatchObject([{ runId: 'order-1', status: 'paused', key: { sessionId: 'trip' } }]);
    expect((await lines('--cursor', page.cursor))[0]).toEqual(refund);
    expect(await keepsake(['conversations', 'waiting', '-u', 'carol'], { cwd })).toMatchObject({
      exitCode: 3,
      stdout: '',
      stderr: expect.stringContaining('No run waits for approval'),
    });
  });

  it('show and delete refuse conversations of another user', async () => {
    const cwd = temporaryDirectory();
    await fill(cwd);
    for (const command of ['show', 'delete']) {
      expect(await keepsake(['conversations', command, 'trip', '--user', 'bob'], { cwd })).toMatchObject({
        exitCode: 2,
        stdout: '',
        stderr: 'keepsake: This session belongs to another user. Use another session id.\n',
      });
    }
    expect((await keepsake(['conversations', 'show', 'trip', '-u', 'alice'], { cwd })).stdout).toContain('Porto');
  });

  it('--tenant selects the conversations of one tenant', async () => {
    const cwd = temporaryDirectory();
    await fill(cwd);
    const acme = new ConversationMemory({
      store: new FileStore({ directory: join(cwd, '.keepsake'), name: 'test' }),
      tenant: 'acme',
      fullSessionMemory: true,
    });
    await acme.for('agent', { sessionId: 'trip', userId: 'carol' }).save(run('To Lagos?'));
    const of = async (...args: string[]) =>
      (await keepsake(['conversations', ...args, '--tenant', 'acme'], { cwd })).stdout;
    expect(fields(await of('list'))).toEqual([['trip', 'agent', 'carol'], ['']]);
    expect(await of('show', 'trip')).toBe('user\tTo Lagos?\nassistant\tYes.\n');
    expect(await of('delete', 'trip')).toBe('trip\n');
    expect(await of('list')).toBe('');
    expect((await keepsake(['conversations', 'show', 'trip'], { cwd })).stdout).toContain('Porto');
    expect((await keepsake(['conversations', 'list', '-u', 'dave', '-k', 'team'], { cwd })).stderr).toBe(
      'There are no team conversations of dave in the root namespace of .keepsake. Run keepsake namespaces to list all namespaces, and choose one with --namespace.\n',
    );
  });

  it('delete removes conversations with their runs', async () => {
    const cwd = temporaryDirectory();
    const memory = await fill(cwd);
    expect(await keepsake(['conversations', 'delete', 'trip', 'chap'], { cwd })).toMatchObject({
      exitCode: 3,
      stdout: 'trip\n',
      stderr:
        'chap is too short to remove a conversation by. Give the whole id, or at least 6 characters of its own.\n',
    });
    expect(await memory.for('agent', { sessionId: 'trip', userId: 'alice' }).getMessages()).toEqual([]);
    expect(await memory.for('team', { sessionId: 'trip', userId: 'bob' }).getMessages()).toHaveLength(2);
  });

  it('reading creates no directory', async () => {
    const cwd = temporaryDirectory();
    for (const args of [[], ['show', 'x'], ['delete', 'x']]) await keepsake(['conversations', ...args], { cwd });
    expect((await keepsake(['conversations'], { cwd })).stderr).toBe(
      'There are no conversations in the root namespace of .keepsake. Run keepsake namespaces to list all namespaces, and choose one with --namespace.\n',
    );
    expect(readdirSync(cwd)).toEqual([]);
  });
});
