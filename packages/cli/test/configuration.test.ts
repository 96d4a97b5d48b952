import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConversationMemory } from '@keepsake/conversations';
import { FileSessionStore, FileStore } from '@keepsake/file';
import { describe, expect, it } from 'vitest';
import { BACKENDS } from '../src/init/backends.ts';
import { packagesOf, TEMPLATES } from '../src/init/templates.ts';
import { keepsake, keepsakeProcess, Terminal } from './keepsake.ts';
import { useDirectories } from './use-directories.ts';

const temporaryDirectory = useDirectories();
const ROOT = join(import.meta.dirname, '../../..');

/** A project whose configuration has its files in `memory`, with more fields if given. */
function project(fields = '', name = 'keepsake.config.mjs'): string {
  const cwd = temporaryDirectory();
  symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
  const code = `import { join } from 'node:path';
import { FileSessionStore, FileStore } from '@keepsake/file';
import { localDirectory } from '@keepsake/workspace';
const directory = join(import.meta.dirname, 'memory');
export default {
  memory: async () => new FileStore({ directory, name: 'memory', namespace: ['app'] }),
  sessions: () => new FileSessionStore({ directory }),
  ${fields}
};`;
  writeFileSync(join(cwd, name), code);
  return cwd;
}

const filesOf = (cwd: string) => {
  const directory = join(cwd, 'memory');
  return {
    store: new FileStore({ directory, name: 'memory', namespace: ['app'] }),
    sessions: new FileSessionStore({ directory }),
  };
};

describe.concurrent('a configuration', () => {
  it('is found upwards, and the commands of memories work on its backend', async () => {
    const cwd = project();
    mkdirSync(join(cwd, 'src'));
    const inside = { cwd: join(cwd, 'src') };
    const { stdout: id } = await keepsake(['remember', 'Lives in Lisbon', '-n', 'u:alice'], inside);
    expect((await keepsake(['recall', 'Where?  Lisbon', '-n', 'u:alice'], inside)).stdout).toContain('Lives in');
    expect((await keepsake(['list', '-n', 'u:bob'], inside)).stdout).toBe('');
    expect((await keepsake(['namespaces'], inside)).stdout).toContain('u:alice\t1\n');
    expect((await keepsake(['namespaces', '-n', 'u:alice'], inside)).stdout).toBe('u:alice\t1\n');
    expect((await keepsake(['export', '-n', 'u:alice'], inside)).stdout).toContain('Lives in Lisbon');
    const input = JSON.stringify({ id: 'x', content: 'Imported' });
    expect((await keepsake(['import', '-'], { ...inside, input })).stdout).toBe('1 added, 0 already there.\n');
    expect((await keepsake(['forget', id.trim(), '-n', 'u:alice'], inside)).stdout).toBe(id);
    expect(readdirSync(inside.cwd)).toEqual([]);
  });

  it('is for the commands of sessions and conversations too', async () => {
    const cwd = project();
    const { store, sessions } = filesOf(cwd);
    await sessions.open('chat').addItems([{ role: 'user', content: 'Hi' }]);
    const conversation = new ConversationMemory({ store, fullSessionMemory: true }).for('agent', {
      sessionId: 'trip-1',
    });
    const items = [{ role: 'user', content: 'Book it' }];
    await conversation.save({ status: 'completed', items });
    await conversation.save({ status: 'paused', items });

    expect((await keepsake(['sessions'], { cwd })).stdout).toMatch(/^chat\t1\t/);
    expect((await keepsake(['sessions', 'show', 'chat'], { cwd })).stdout).toBe('user\tHi\n');
    expect((await keepsake(['conversations', 'waiting'], { cwd })).stdout).toMatch(/^trip-1\tagent\t/);
    // A prefix of the id is enough.
    expect((await keepsake(['conversations', 'show', 'trip'], { cwd })).stdout).toBe('user\tBook it\n');
    expect((await keepsake(['sessions', 'delete', 'chat'], { cwd })).stdout).toBe('chat\n');
    expect((await keepsake(['conversations', 'delete', 'trip-1'], { cwd })).stdout).toBe('trip-1\n');
  });

  it('is overridden by the options and the environment, of which only one is accepted', async () => {
    const cwd = project();
    writeFileSync(
      join(cwd, 'other.mjs'),
      readFileSync(join(cwd, 'keepsake.config.mjs'), 'utf8').replace("'memory')", "'other')"),
    );
    await keepsake(['remember', 'In other', '--config', 'other.mjs'], { cwd });
    await keepsake(['remember', 'In files', '-d', 'files'], { cwd });
    await keepsake(['remember', 'In env'], { cwd, env: { KEEPSAKE_DIRECTORY: 'env' } });
    expect(readdirSync(cwd).filter((name) => !name.includes('.') && name !== 'node_modules')).toEqual([
      'env',
      'files',
      'other',
    ]);
    const both = await keepsake(['list', '--config', 'other.mjs', '-d', 'files'], { cwd });
    expect(both).toMatchObject({
      exitCode: 2,
      stderr: 'keepsake: Pass only one of --config, --directory and --sqlite.\n',
    });
  });

  it('decides which namespaces belong to a user, in which tenant', async () => {
    const cwd = project("space: { userNamespaces: ['customers:{user_id}'] }, conversations: { tenant: 'acme' },");
    const { store } = filesOf(cwd);
    for (const id of ['alice', 'alice2']) {
      await store.within(['customers', id]).add(`memory of ${id}`);
      const conversations = new ConversationMemory({ store, tenant: 'acme' });
      const items = [{ role: 'user', content: `asked by ${id}` }];
      await conversations.for('agent', { userId: id }).save({ status: 'paused', items });
    }
    const exported = await keepsake(['export-user', 'alice'], { cwd });
    expect(exported.stdout).toContain('memory of alice');
    expect(exported.stdout).toContain('asked by alice');
    expect(exported.stdout).not.toContain('alice2');
    const erased = await keepsake(['erase-user', 'alice'], { cwd });
    expect(erased.stdout).toContain('memories\t1\n');
    expect(erased.stdout).toContain('conversations\t1\n');
    expect((await keepsake(['erase-user', 'alice', '--json'], { cwd })).stdout).toContain('"memories":0');
    expect((await keepsake(['export-user', 'alice2'], { cwd })).stdout).toContain('memory of alice2');
  });

  it('names the agents and the workspace', async () => {
    const cwd = project(
      "space: { agents: { bot: { namespace: 'bots:{agent_name}' } } }, workspace: () => localDirectory('shared'),",
    );
    await filesOf(cwd).store.within(['bots', 'bot', 'u', 'alice']).add('Prefers aisle seats');
    expect((await keepsake(['namespaces', '--agent', 'bot'], { cwd })).stdout).toBe('bots:bot:u:alice\t1\tprivate\n');
    expect(await keepsake(['workspace', 'show'], { cwd })).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('There are no conversations'),
    });
    expect(await keepsake(['workspace', 'show', '-w', 'missing'], { cwd })).toMatchObject({ exitCode: 3 });
  });

  it('is not for doctor', async () => {
    const cwd = project();
    expect(await keepsake(['doctor'], { cwd })).toMatchObject({
      exitCode: 2,
      stderr: 'keepsake: doctor checks directories. Pass --directory. Check any other backend with its own tools.\n',
    });
  });

  it('prints the cause if it fails, and ends although a client stays open', async () => {
    const cwd = project('close: () => { throw new Error("never called") },');
    writeFileSync(
      join(cwd, 'keepsake.config.mjs'),
      `import { createServer } from 'node:net';
      createServer().listen(0, '127.0.0.1');
      export default { memory: () => { throw new Error('refused') } };`,
    );
    expect(await keepsakeProcess(['list'], { cwd })).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: 'keepsake: `memory` of keepsake.config.mjs failed: see the cause.\n(refused)\n',
    });
  });
});

describe.concurrent('init', () => {
  it.each(['file', 'sqlite'])('writes a configuration for %s that works', async (backend) => {
    const cwd = temporaryDirectory();
    symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
    const ended = await keepsake(['init', '--backend', backend], { cwd });
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ended.stdout).toContain(`npm install @keepsake/core @keepsake/config @keepsake/${backend}`);
    await keepsake(['remember', 'Lives in Lisbon'], { cwd });
    const env = { NODE_NO_WARNINGS: '1' };
    expect(await keepsakeProcess(['recall', 'Lisbon'], { cwd, env })).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await keepsake(['init', '--backend', backend], { cwd })).toMatchObject({
      exitCode: 1,
      stderr: 'keepsake: keepsake.config.mts exists. Remove it to write another one.\n',
    });
  });

  it('writes .ts in a package of modules', async () => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }');
    const ended = await keepsake(['init', '-b', 'redis', '--json'], { cwd });
    expect(JSON.parse(ended.stdout)).toEqual({
      path: 'keepsake.config.ts',
      backend: 'redis',
      packages: ['@keepsake/core', '@keepsake/config', '@keepsake/redis', 'ioredis'],
    });
    const listed = await keepsakeProcess(['list'], { cwd });
    expect(listed.exitCode).toBe(2);
    expect(listed.stderr).toContain('Run: npm install @keepsake/config @keepsake/redis ioredis\n');
  });

  it('asks for the backend on a terminal, and refuses to guess elsewhere', async () => {
    const cwd = temporaryDirectory();
    expect(await keepsake(['init'], { cwd })).toMatchObject({
      exitCode: 2,
      stderr: 'keepsake: Pass a backend: keepsake init --backend file|sqlite|redis|postgres|prisma.\n',
    });
    expect(readdirSync(cwd)).toEqual([]);
    const terminal = new Terminal(['init'], { cwd }, 100);
    await terminal.shows(/Backend \[file\]: /);
    terminal.type('postgres\r');
    expect(await terminal.end).toBe(0);
    expect(terminal.visibleText).toContain('npm install @keepsake/core @keepsake/config @keepsake/postgres pg');
    expect(readFileSync(join(cwd, 'keepsake.config.mts'), 'utf8')).toBe(TEMPLATES.postgres.code);
  });

  it.each(BACKENDS)('writes the configuration for %s that the guide shows', (backend) => {
    const guide = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');
    expect(guide).toContain(`s\n${TEMPLATES[backend].code}\`\`\`\n`);
    expect(packagesOf(backend)).toContain('@keepsake/config');
  });
});
