import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { FileStore } from '@keepsake/file';
import { runProgram, useDirectory } from '@keepsake/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { call, connectHttp, connectStdio, ERAS, NODE_ARGS, PROGRAM } from './support/connect.ts';

const directory = useDirectory();
/** For the newer protocol, the client starts a second server, which it only asks for its version. */
const ONE_PROCESS = { era: '2025-11-25' } as const;

const contentsIn = async (...namespace: string[]) => {
  const { items } = await new FileStore({ directory: directory.path, name: 'memory', namespace }).list({
    limit: 1_000,
  });
  return items.map(({ content }) => content).sort();
};

it.each([
  ['files', () => ['--directory', directory.path]],
  ['SQLite', () => ['--sqlite', join(directory.path, 'memory.db')]],
])('4 processes on %s keep each of 50 writes', async (_, place) => {
  const clients = await Promise.all(Array.from({ length: 4 }, () => connectStdio(place(), ONE_PROCESS)));
  await Promise.all(
    clients.map(async (client, me) => {
      for (let at = 0; at < 50; at++) await call(client, 'remember', { content: `Note ${at} of process ${me}.` });
    }),
  );
  for (const client of clients) expect(await call(client, 'memory_stats')).toMatchObject({ memories: 200 });
});

it('a server with --user or --namespace has exactly that memory', async () => {
  const clients = await Promise.all(
    [[], ['--user', 'alice'], ['--namespace', 'team:a'], ['--namespace', 'team:a', '--user', 'bob']].map((more) =>
      connectStdio(['--directory', directory.path, ...more], ONE_PROCESS),
    ),
  );
  for (const [at, client] of clients.entries()) await call(client, 'remember', { content: `Note ${at}.` });
  for (const [at, client] of clients.entries()) {
    const { memories } = await call(client, 'recall', { query: 'note' });
    expect(memories).toMatchObject([{ content: `Note ${at}.` }]);
  }
  expect(await contentsIn('u', 'alice')).toEqual(['Note 1.']);
  expect(await contentsIn('team', 'a', 'u', 'bob')).toEqual(['Note 3.']);
});

it('reads the configuration that it is given', async () => {
  const config = join(directory.path, 'keepsake.config.mjs');
  await writeFile(
    config,
    `import { FileStore } from ${JSON.stringify(import.meta.resolve('@keepsake/file'))};
     export default { memory: () => new FileStore({ directory: ${JSON.stringify(directory.path)}, name: 'configured' }) };`,
  );
  const client = await connectStdio(['--config', config]);
  await call(client, 'remember', { content: 'Alice likes tea.' });
  expect(await contentsIn()).toEqual(['Alice likes tea.']);
});

it('--read-only creates no file', async () => {
  const client = await connectStdio(['--directory', join(directory.path, 'memory'), '--read-only']);
  expect(await call(client, 'recall', { query: 'tea' })).toEqual({ memories: [] });
  expect((await client.listTools()).tools).toHaveLength(4);
  expect(readdirSync(directory.path)).toEqual([]);
});

describe('the process', () => {
  const start = (...args: string[]) => {
    const child = spawn(process.execPath, [...NODE_ARGS, PROGRAM, '--directory', directory.path, ...args]);
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };
  const HELLO = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } };
  const message = (id: number, method: string, params: object) =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
  const remember = (id: number) =>
    message(id, 'tools/call', { name: 'remember', arguments: { content: `Note ${String(id).padStart(3, '0')}.` } });

  it.each<[string, (child: ReturnType<typeof start>) => unknown]>([
    ['the end of its input', (child) => child.stdin.end()],
    ['SIGTERM', (child) => child.kill('SIGTERM')],
    ['SIGINT', (child) => child.kill('SIGINT')],
  ])('ends at %s with code 0, and what it acknowledged is stored', async (_, stop) => {
    const child = start();
    const errors = text(child.stderr);
    const exited = once(child, 'exit');
    const acknowledged: string[] = [];
    child.stdin.on('error', () => {});
    child.stdin.write(message(0, 'initialize', HELLO));
    for (let id = 1; id <= 200; id++) child.stdin.write(remember(id));
    for await (const line of createInterface(child.stdout)) {
      // Nothing but messages of the protocol.
      const { jsonrpc, id, result } = JSON.parse(line);
      expect([jsonrpc, result?.isError]).toEqual(['2.0', undefined]);
      if (id > 0) acknowledged.push(`Note ${String(id).padStart(3, '0')}.`);
      if (acknowledged.length === 20) stop(child);
    }
    expect(await exited).toEqual([0, null]);
    expect(await errors).toBe('');
    expect(acknowledged.length).toBeGreaterThanOrEqual(20);
    expect(await contentsIn()).toEqual(expect.arrayContaining(acknowledged));
  });

  it.each([
    ['an unknown option', ['--red-only'], /Unknown option '--red-only'.*See keepsake-mcp --help/s],
    ['two places', ['--sqlite', 'a.db'], /only one of --config, --directory and --sqlite/],
    ['a port without --http', ['--port', '1'], /--port is only for --http/],
    ['another compat', ['--compat', 'mem0'], /--compat must be server-memory/],
    ['a broken namespace', ['--namespace', 'a::b'], /--namespace "a::b" is invalid/],
    ['an empty user', ['--user', ''], /--user must be the id of a user/],
  ])('refuses %s with code 2 and advice, on standard error alone', async (_, args, advice) => {
    const child = start(...args);
    const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    expect([code, output]).toEqual([2, '']);
    expect(errors).toMatch(advice);
  });

  it('prints its help and version', async () => {
    const help = await runProgram(PROGRAM, ['--help'], { environment: { NODE_NO_WARNINGS: '1' } });
    expect([help.status, help.stderr]).toEqual([0, '']);
    expect(help.stdout).toMatch(/^Usage: keepsake-mcp/);
    const version = await runProgram(PROGRAM, ['--version'], { environment: { NODE_NO_WARNINGS: '1' } });
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each(ERAS)('serves HTTP with the token of the environment, until SIGTERM, in protocol %s', async (era) => {
    const token = 'a-token-of-thirty-two-characters';
    const child = spawn(
      process.execPath,
      [...NODE_ARGS, PROGRAM, '--directory', directory.path, '--http', '--port', '0', '--user', 'alice'],
      { env: { ...process.env, KEEPSAKE_MCP_TOKEN: token } },
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    const url = await urlOf(child);
    const client = await connectHttp(url, token, { era });
    await call(client, 'remember', { content: 'Alice likes tea.' });
    await expect(connectHttp(url, 'another-token-of-thirty-two-chars', { era })).rejects.toThrow();
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(await contentsIn('u', 'alice')).toEqual(['Alice likes tea.']);
  });

  it('makes a token where none is set, prints it, and refuses one that is short or has spaces', async () => {
    const environment = { ...process.env, KEEPSAKE_MCP_TOKEN: '' };
    const args = [...NODE_ARGS, PROGRAM, '--directory', directory.path, '--http', '--port', '0'];
    const child = spawn(process.execPath, args, { env: environment });
    onTestFinished(() => void child.kill('SIGKILL'));
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (more) => {
      errors += more;
    });
    const url = await urlOf(child);
    await expect.poll(() => errors).toContain('Set KEEPSAKE_MCP_TOKEN');
    const [, token = ''] = /token of this run: (\S{43})\n/.exec(errors) ?? [];
    expect((await (await connectHttp(url, token)).listTools()).tools).toHaveLength(7);

    for (const unfit of ['short', `with spaces ${'x'.repeat(32)}`]) {
      const refused = spawn(process.execPath, args, { env: { ...environment, KEEPSAKE_MCP_TOKEN: unfit } });
      const [message, [code]] = await Promise.all([text(refused.stderr), once(refused, 'exit')]);
      expect([code, message]).toEqual([2, expect.stringContaining('KEEPSAKE_MCP_TOKEN must be at least 32 letters')]);
    }
  });

  /** The URL that a server prints. */
  function urlOf({ stderr }: { readonly stderr: NodeJS.ReadableStream }): Promise<string> {
    return new Promise((resolve) => {
      let printed = '';
      stderr.on('data', (more) => {
        printed += more;
        const [, url] = /listening on (\S+)\n/.exec(printed) ?? [];
        if (url !== undefined) resolve(url);
      });
    });
  }
});
