import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConversationMemory } from '@keepsake/conversations';
import { FileSessionStore, FileStore } from '@keepsake/file';
import { MemorySpace } from '@keepsake/namespaces';
import { describe, expect, it } from 'vitest';
import { keepsake } from './keepsake.ts';
import { useDirectories } from './use-directories.ts';

const temporaryDirectory = useDirectories();

/** Two users of two agents with a pool and a conversation each, as an application would store them. */
async function filled(namespace: readonly string[] = []): Promise<string> {
  const cwd = temporaryDirectory();
  const directory = join(cwd, '.keepsake');
  const space = new MemorySpace({
    store: new FileStore({ directory, name: 'memory', namespace }),
    sessions: new FileSessionStore({ directory }),
    agents: { bot: { sharedNamespaces: ['docs'] }, 'bot-2': {} },
    pools: { docs: { readers: ['*'], writers: ['*'] } },
  });
  for (const id of ['alice', 'alice2']) {
    for (const agent of ['bot', 'bot-2']) {
      const scope = space.as({ principal: { id }, agent });
      await scope.memory.putMany([{ content: `one of ${id}` }, { content: `two of ${id}` }]);
      await scope.session('s').addItems([{ role: 'user', content: `said by ${id}` }]);
    }
    const scope = space.as({ principal: { id }, agent: 'bot' });
    await scope.memory.within(['s1']).put({ content: `of a session of ${id}` });
    await scope.pool('docs').put({ id, content: `shared by ${id}` });
    const store = new FileStore({ directory, name: 'conversations', namespace });
    for (const tenant of [undefined, 'acme']) {
      const memory = new ConversationMemory({ store, tenant, fullSessionMemory: true });
      const items = [{ role: 'user', content: `of ${id} and ${tenant}` }];
      await memory.for('agent', { userId: id }).save({ status: 'completed', items });
    }
  }
  return cwd;
}

const lines = (text: string) => text.trimEnd().split('\n');

function rawText(cwd: string, isOne: (path: string) => boolean = () => true): string {
  return readdirSync(cwd, { recursive: true, withFileTypes: true })
    .filter(({ parentPath, name }) => isOne(join(parentPath, name)))
    .map(
      (entry) =>
        join(entry.parentPath, entry.name) +
        (entry.isFile() ? readFileSync(join(entry.parentPath, entry.name), 'utf8') : ''),
    )
    .join('\n');
}

describe.concurrent('namespaces --agent', () => {
  it('prints the namespaces of the agent and the kind of each', async () => {
    const cwd = await filled();
    const { stdout, exitCode } = await keepsake(['namespaces', '--agent', 'bot'], { cwd });
    expect(exitCode).toBe(0);
    expect(lines(stdout)).toEqual([
      'agent:bot:u:alice\t2\tprivate',
      'agent:bot:u:alice2\t2\tprivate',
      'agent:bot:u:alice2:s1\t1\tchild',
      'agent:bot:u:alice:s1\t1\tchild',
    ]);
    const json = JSON.parse((await keepsake(['namespaces', '-a', 'bot-2', '--json'], { cwd })).stdout);
    expect(json.items).toHaveLength(2);
    expect(json.items[0]).toEqual({
      name: 'agent:bot-2:u:alice',
      namespace: ['agent', 'bot-2', 'u', 'alice'],
      kind: 'private',
      agents: ['bot-2'],
      recordCount: 2,
      principal: { id: 'alice', type: 'user' },
    });
    expect(await keepsake(['namespaces', '--agent', 'nobody'], { cwd })).toMatchObject({
      exitCode: 3,
      stdout: '',
      stderr: 'There are no memories of agent nobody in .keepsake.\n',
    });
  });

  it('starts at the namespace given by --namespace', async () => {
    const cwd = await filled(['tenant']);
    const { stdout } = await keepsake(['namespaces', '--agent', 'bot', '-n', 'tenant'], { cwd });
    expect(lines(stdout)[0]).toBe('tenant:agent:bot:u:alice\t2\tprivate');
    expect((await keepsake(['namespaces', '--agent', 'bot'], { cwd })).stdout).toBe('');
  });
});

describe.concurrent('erase-user', () => {
  it('counts with --dry-run, then erases everything', async () => {
    const cwd = await filled();
    const isData = (path: string) => !path.includes('.index');
    const before = rawText(cwd, isData);
    const dry = await keepsake(['erase-user', 'alice', '--dry-run', '--shared'], { cwd });
    expect(dry).toMatchObject({ exitCode: 0, stderr: '' });
    expect(lines(dry.stdout)).toEqual([
      'dry run\tnothing was erased',
      'memories\t5',
      'shared entries\t1',
      'damaged entries\t0',
      'unsaved turns\t0',
      'sessions\t2',
      'session items\t2',
      'conversations\t1',
      'runs\t1',
      'profiles\t0',
      'unidentified\t0',
    ]);
    expect(rawText(cwd, isData)).toHaveLength(before.length);
    expect((await keepsake(['erase-user', 'alice', '--shared'], { cwd })).stdout).toBe(
      dry.stdout.replace(/^dry run.*\n/, ''),
    );
    expect(rawText(cwd)).not.toContain('of alice and undefined');
    const acme = await keepsake(['erase-user', 'alice', '--tenant', 'acme'], { cwd });
    expect(lines(acme.stdout).filter((line) => !line.endsWith('\t0'))).toEqual(['conversations\t1', 'runs\t1']);
    const raw = rawText(cwd);
    expect(raw).not.toMatch(/of alice\b|by alice\b|"alice"/);
    expect(raw).toContain('of alice2');
    const again = await keepsake(['erase-user', 'alice', '--shared', '--json'], { cwd });
    expect(JSON.parse(again.stdout)).toMatchObject({
      principal: { id: 'alice', type: 'user' },
      dryRun: false,
      memories: 0,
      sessions: 0,
      sharedEntries: 0,
      userData: { conversations: { userId: 'alice', sessions: 0, runs: 0, profiles: 0 } },
    });
  });

  it('keeps shared entries without --shared and distinguishes services from users', async () => {
    const cwd = await filled();
    const service = await keepsake(['erase-user', 'alice', '--service', '--json'], { cwd });
    expect(JSON.parse(service.stdout)).toMatchObject({ memories: 0, sessions: 0 });
    expect(JSON.parse(service.stdout).userData).toEqual({});
    expect(JSON.parse((await keepsake(['erase-user', 'alice', '--json'], { cwd })).stdout)).toMatchObject({
      memories: 5,
      sharedEntries: 0,
    });
    expect(rawText(cwd)).toContain('shared by alice');
  });

  it('requires an id and creates no directory', async () => {
    const cwd = temporaryDirectory();
    expect((await keepsake(['erase-user'], { cwd })).exitCode).toBe(2);
    expect((await keepsake(['erase-user', ''], { cwd })).exitCode).toBe(2);
    expect((await keepsake(['erase-user', 'nobody'], { cwd })).exitCode).toBe(0);
    expect((await keepsake(['export-user', 'nobody'], { cwd })).exitCode).toBe(0);
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe.concurrent('the layout of applications without a space', () => {
  it('u:alice is exported and erased with all that is below it, at any depth, and u:alice2 is not', async () => {
    const cwd = temporaryDirectory();
    const store = new FileStore({ directory: join(cwd, '.keepsake'), name: 'memory' });
    for (const id of ['alice', 'alice2']) {
      await store.within(['u', id]).put({ content: `one of ${id}` });
      await store.within(['u', id, 'notes']).put({ content: `two of ${id}` });
      await store.within(['tenant', 'acme', 'u', id]).put({ content: `three of ${id}` });
    }
    const remembered = await keepsake(['remember', 'four of alice', '--namespace', 'u:alice'], { cwd });
    expect(remembered.exitCode).toBe(0);
    const exported = await keepsake(['export-user', 'alice'], { cwd });
    for (const number of ['one', 'two', 'three', 'four']) expect(exported.stdout).toContain(`${number} of alice"`);
    expect(exported.stdout).not.toContain('alice2');
    const dry = await keepsake(['erase-user', 'alice', '--dry-run', '--json'], { cwd });
    expect(JSON.parse(dry.stdout)).toMatchObject({
      memories: 4,
      namespaces: [
        { namespace: ['tenant', 'acme', 'u', 'alice'], kind: 'memory', recordCount: 1 },
        { namespace: ['u', 'alice'], kind: 'memory', recordCount: 2 },
        { namespace: ['u', 'alice', 'notes'], kind: 'memory', recordCount: 1 },
      ],
    });
    expect((await keepsake(['erase-user', 'alice'], { cwd })).stdout).toContain('memories\t4');
    expect(rawText(cwd)).not.toMatch(/of alice\b/);
    expect(rawText(cwd)).toContain('three of alice2');
  });
});

describe.concurrent('--user-namespace', () => {
  it('says which namespaces and sessions belong to the user, for an export and for erasing', async () => {
    const cwd = temporaryDirectory();
    const directory = join(cwd, '.keepsake');
    const store = new FileStore({ directory, name: 'memory' });
    const sessions = new FileSessionStore({ directory });
    for (const id of ['alice', 'alice2']) {
      await store.within(['customers', id]).put({ content: `one of ${id}` });
      await store.within(['shop', 'x', id, 'orders']).put({ content: `two of ${id}` });
      await sessions.open(`customers:${id}:monday`).addItems([{ role: 'user', content: `three of ${id}` }]);
    }
    const patterns = ['--user-namespace', 'customers:{user_id}', '--user-namespace', 'shop:*:{user_id}'];
    const exported = await keepsake(['export-user', ...patterns, 'alice'], { cwd });
    for (const number of ['one', 'two', 'three']) expect(exported.stdout).toContain(`${number} of alice"`);
    expect(exported.stdout).not.toContain('alice2');
    expect((await keepsake(['erase-user', 'alice'], { cwd })).stdout).toContain('memories\t0');
    expect((await keepsake(['erase-user', 'alice', ...patterns], { cwd })).stdout).toContain('memories\t2');
    expect(rawText(cwd)).not.toMatch(/of alice\b/);
    expect(rawText(cwd)).toContain('three of alice2');
    const refused = await keepsake(['erase-user', 'alice', '--user-namespace', 'customers'], { cwd });
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('{user_id}') });
  });
});

describe.concurrent('export-user', () => {
  it('prints all data of a user as JSONL, header first', async () => {
    const cwd = await filled();
    const { stdout, exitCode, stderr } = await keepsake(['export-user', 'alice'], { cwd });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const [header, ...rest] = lines(stdout).map((line) => JSON.parse(line));
    expect(header).toMatchObject({ keepsake: 'user-export', version: 1, principal: { id: 'alice', type: 'user' } });
    const conversations = rest.findIndex(({ keepsake }) => keepsake === 'conversations-export');
    expect(rest.slice(conversations + 1).map(({ kind }) => kind)).toEqual(['conversation', 'run']);
    expect(
      rest
        .slice(0, conversations)
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(['data', 'item', 'item', ...Array(5).fill('memory'), 'session', 'session', 'shared'].sort());
    expect(stdout).not.toMatch(/alice2|acme/);
    const service = await keepsake(['export-user', 'alice', '--service'], { cwd });
    expect(lines(service.stdout)).toHaveLength(1);
  });
});
