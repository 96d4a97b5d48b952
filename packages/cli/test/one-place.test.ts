import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { OpenedConfig } from '@keepsake/config';
import { MemoryManager } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import { MemorySpace } from '@keepsake/namespaces';
import { createPanel } from '@keepsake/panel';
import { startProgram } from '@keepsake/testing';
import { expect, it } from 'vitest';
import { keepsake } from './keepsake.ts';
import { useDirectories } from './use-directories.ts';

const temporaryDirectory = useDirectories();
const MCP = join(dirname(fileURLToPath(import.meta.resolve('@keepsake/mcp/package.json'))), 'src/keepsake-mcp.ts');

/** The public ways to one memory, for one user. */
class Paths {
  readonly #cwd = temporaryDirectory();
  readonly #directory = join(this.#cwd, '.keepsake');
  readonly store = new FileStore({ directory: this.#directory, name: 'memory', extraction: true });
  readonly #manager = new MemoryManager({ stores: [this.store] });

  readonly writers: Readonly<Record<string, (user: string, content: string) => Promise<unknown>>> = {
    'memory.for().add()': (user, content) => this.#manager.for({ user }).add(content),
    'memory.for().turn()': async (user, content) => {
      const messages = [{ role: 'user' as const, content }];
      await this.#manager.for({ user }).turn({ thread: user, messages, answer: () => 'Noted.' });
      await this.#manager.flush();
    },
    'store.within()': (user, content) => this.store.within(['u', user]).add(content),
    'keepsake remember': (user, content) => this.#keepsake(['remember', content, '--namespace', `u:${user}`]),
    'keepsake import of Mem0': (user, content) => {
      const results = [{ id: content, memory: content, user_id: user }];
      return this.#keepsake(['import', '-', '--format', 'mem0'], JSON.stringify({ results }));
    },
    'keepsake-mcp': (user, content) => this.#mcp(user, 'remember', { content }),
  };

  readonly readers: Readonly<Record<string, (user: string) => Promise<string>>> = {
    'memory.for().search()': async (user) =>
      JSON.stringify(await this.#manager.for({ user }).search('heron', { maxSearchResults: 100 })),
    'store.within()': async (user) => JSON.stringify((await this.store.within(['u', user]).list({ limit: 100 })).items),
    'keepsake list': (user) => this.#keepsake(['list', '--namespace', `u:${user}`]),
    'keepsake export-user': (user) => this.#keepsake(['export-user', user]),
    'keepsake-mcp': (user) => this.#mcp(user, 'list_memories', {}),
    'the panel': async (user) => {
      const panel = createPanel(new OpenedConfig({ memory: () => this.store.within([]) }, { path: 'the test' }));
      const response = await panel.fetch(new Request(`http://localhost/api/records?namespace=u:${user}`));
      return response.text();
    },
  };

  erase(user: string): Promise<unknown> {
    return new MemorySpace({ store: this.store, agents: {} }).eraseUser(user);
  }

  async #keepsake(args: readonly string[], input = ''): Promise<string> {
    const { stdout, stderr, exitCode } = await keepsake(args, { cwd: this.#cwd, input });
    expect([stderr, exitCode]).toEqual([expect.stringMatching(/^(?!keepsake:)/), expect.toBeOneOf([0, 3])]);
    return stdout;
  }

  /** Calls a tool of a server for one user. */
  async #mcp(user: string, name: string, args: object): Promise<string> {
    const child = startProgram(MCP, ['--directory', this.#directory, '--user', user]);
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } };
    for (const message of [
      { id: 0, method: 'initialize', params: hello },
      { method: 'notifications/initialized' },
      { id: 1, method: 'tools/call', params: { name, arguments: args } },
    ]) {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    }
    for await (const line of createInterface(child.stdout)) {
      if (!line.includes('"id":1')) continue;
      child.stdin.end();
      return line;
    }
    throw new Error('The server ended without an answer.');
  }
}

it('a user has one place: what is written by any path is read by every other, for that user alone, and erased', async () => {
  const paths = new Paths();
  const written: Record<string, string> = {};
  for (const [index, [path, write]] of Object.entries(paths.writers).entries()) {
    for (const user of ['alice', 'bob']) await write(user, `The heron of ${user} is number ${index}.`);
    written[path] = `is number ${index}.`;
  }
  for (const [path, read] of Object.entries(paths.readers)) {
    for (const [user, other] of [
      ['alice', 'bob'],
      ['bob', 'alice'],
    ] as const) {
      const found = await read(user);
      const missing = Object.entries(written).filter(([, end]) => !found.includes(`The heron of ${user} ${end}`));
      expect(missing, `missing in ${path}`).toEqual([]);
      expect(found).not.toContain(`heron of ${other}`);
    }
  }
  await paths.erase('alice');
  for (const [path, read] of Object.entries(paths.readers)) {
    expect(await read('alice'), path).not.toContain('heron of alice');
    expect(await read('bob'), path).toContain('heron of bob');
  }
  expect((await paths.store.namespaces({ limit: 100 })).items.map(({ namespace }) => namespace)).toEqual([
    ['u', 'bob'],
  ]);
});
