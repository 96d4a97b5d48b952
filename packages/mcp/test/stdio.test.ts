import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { FileStore } from '@keepsake/file';
import { useDirectory } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readArguments } from '../src/cli/arguments.ts';
import { openMemory } from '../src/cli/open-memory.ts';
import { run } from '../src/cli/run.ts';
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

const PROCESSES = rounds(4, 2);
const WRITES = rounds(50, 15);

it(`${PROCESSES} processes on files keep each of ${WRITES} writes`, () => keepWrites(['--directory', directory.path]));

it(`${PROCESSES} processes on SQLite keep each of ${WRITES} writes`, { tags: ['nightly'] }, () =>
  keepWrites(['--sqlite', join(directory.path, 'memory.db')]),
);

async function keepWrites(place: readonly string[]): Promise<void> {
  const clients = await Promise.all(Array.from({ length: PROCESSES }, () => connectStdio(place, ONE_PROCESS)));
  await Promise.all(
    clients.map(async (client, me) => {
      for (let at = 0; at < WRITES; at++) await call(client, 'remember', { content: `Note ${at} of process ${me}.` });
    }),
  );
  const memories = PROCESSES * WRITES;
  for (const client of clients) expect(await call(client, 'memory_stats')).toMatchObject({ memories });
}

it('a server with --user or --namespace has exactly that memory', async () => {
  const opened = await Promise.all(
    [[], ['--user', 'alice'], ['--namespace', 'team:a'], ['--namespace', 'team:a', '--user', 'bob']].map((more) =>
      openMemory(readArguments(['--directory', directory.path, ...more])),
    ),
  );
  for (const [at, { store }] of opened.entries()) await store.add(`Note ${at}.`);
  for (const [at, { store }] of opened.entries()) {
    expect(await store.search('note')).toMatchObject([{ content: `Note ${at}.` }]);
  }
  for (const { close } of opened) await close();
  expect(await contentsIn('u', 'alice')).toEqual(['Note 1.']);
  expect(await contentsIn('team', 'a', 'u', 'bob')).toEqual(['Note 3.']);
});

it('reads the configuration that it is given, and with --read-only offers no tool that writes', async () => {
  const config = join(directory.path, 'keepsake.config.mjs');
  await writeFile(
    config,
    `import { FileStore } from ${JSON.stringify(import.meta.resolve('@keepsake/file'))};
     export default { memory: () => new FileStore({ directory: ${JSON.stringify(directory.path)}, name: 'configured' }) };`,
  );
  await new FileStore({ directory: directory.path, name: 'configured' }).add('Alice likes tea.');
  const client = await connectStdio(['--config', config, '--read-only'], ONE_PROCESS);
  expect((await client.listTools()).tools).toHaveLength(4);
  expect(await call(client, 'recall', { query: 'tea' })).toMatchObject({ memories: [{ content: 'Alice likes tea.' }] });
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

  const ENDS: readonly (readonly [string, (child: ReturnType<typeof start>) => unknown, 'nightly'?])[] = [
    ['the end of its input', (child) => child.stdin.end()],
    ['SIGTERM', (child) => child.kill('SIGTERM'), 'nightly'],
    ['SIGINT', (child) => child.kill('SIGINT'), 'nightly'],
  ];
  for (const [what, stop, ...tags] of ENDS) {
    it(
      `ends at ${what} with code 0, and what it acknowledged is stored`,
      { tags: tags.filter((tag) => tag !== undefined) },
      () => endsAt(stop),
    );
  }

  /** Many more than are stored when the process is stopped. */
  const NOTES = 60;

  async function endsAt(stop: (child: ReturnType<typeof start>) => unknown): Promise<void> {
    const child = start();
    const errors = text(child.stderr);
    const exited = once(child, 'exit');
    const acknowledged: string[] = [];
    child.stdin.on('error', () => {});
    child.stdin.write(message(0, 'initialize', HELLO));
    for (let id = 1; id <= NOTES; id++) child.stdin.write(remember(id));
    for await (const line of createInterface(child.stdout)) {
      // Nothing but messages of the protocol.
      const { jsonrpc, id, result } = JSON.parse(line);
      expect([jsonrpc, result?.isError]).toEqual(['2.0', undefined]);
      if (id > 0) acknowledged.push(`Note ${String(id).padStart(3, '0')}.`);
      if (acknowledged.length === 10) stop(child);
    }
    expect(await exited).toEqual([0, null]);
    expect(await errors).toBe('');
    expect(acknowledged.length).toBeGreaterThanOrEqual(10);
    expect(await contentsIn()).toEqual(expect.arrayContaining(acknowledged));
  }

  it('refuses its arguments with code 2, on standard error alone', async () => {
    const child = start('--red-only');
    const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    expect([code, output]).toEqual([2, '']);
    expect(errors).toMatch(/^keepsake-mcp: Unknown option '--red-only'/);
  });

  it.each([
    ['an unknown option', ['--red-only'], /Unknown option '--red-only'.*See keepsake-mcp --help/s],
    ['two places', ['--sqlite', 'a.db'], /only one of --config, --directory and --sqlite/],
    ['a port without --http', ['--port', '1'], /--port is only for --http/],
    ['another compat', ['--compat', 'mem0'], /--compat must be server-memory/],
    ['a broken namespace', ['--namespace', 'a::b'], /--namespace "a::b" is invalid/],
    ['an empty user', ['--user', ''], /--user must be the id of a user/],
  ])('refuses %s with code 2 and advice, on standard error alone', async (_, args, advice) => {
    const { code, output, errors } = await runHere('--directory', directory.path, ...args);
    expect([code, output]).toEqual([2, '']);
    expect(errors).toMatch(advice);
    // Not once more as the cause.
    expect(errors.match(/Unknown option|is invalid/g) ?? ['']).toHaveLength(1);
  });

  it('does not run a configuration that is only there, and says how to', async () => {
    await writeFile(join(directory.path, 'keepsake.config.mjs'), "console.log('ran');");
    vi.spyOn(process, 'cwd').mockReturnValue(directory.path);
    onTestFinished(() => void vi.restoreAllMocks());
    const { code, output, errors } = await runHere();
    expect([code, output]).toEqual([2, '']);
    expect(errors).toMatch(/runs only if you name it: pass --config .+keepsake\.config\.mjs, or --directory/);
  });

  it('prints its help and version', async () => {
    const help = await runHere('--help');
    expect([help.code, help.errors]).toEqual([0, '']);
    expect(help.output).toMatch(/^Usage: keepsake-mcp/);
    const version = await runHere('--version');
    expect(version.output).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('serves HTTP with the token of the environment, until SIGTERM', async () => {
    const token = 'a-token-of-thirty-two-characters';
    const child = spawn(
      process.execPath,
      [...NODE_ARGS, PROGRAM, '--directory', directory.path, '--http', '--port', '0', '--user', 'alice'],
      { env: { ...process.env, KEEPSAKE_MCP_TOKEN: token } },
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    const url = await urlOf(child);
    for (const era of ERAS) {
      const client = await connectHttp(url, token, { era });
      await call(client, 'remember', { content: `Alice likes tea, says protocol ${era}.` });
      await expect(connectHttp(url, 'another-token-of-thirty-two-chars', { era })).rejects.toThrow();
    }
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(await contentsIn('u', 'alice')).toEqual(ERAS.map((era) => `Alice likes tea, says protocol ${era}.`));
  });

  it('makes a token where none is set, prints it, refuses one that is short or has spaces, and creates no file with --read-only', async () => {
    const environment = { ...process.env, KEEPSAKE_MCP_TOKEN: '' };
    const args = [...NODE_ARGS, PROGRAM, '--directory', directory.path, '--http', '--port', '0', '--read-only'];
    const child = spawn(process.execPath, args, { env: environment });
    onTestFinished(() => void child.kill('SIGKILL'));
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (more) => {
      errors += more;
    });
    const url = await urlOf(child);
    await expect.poll(() => errors).toContain('Set KEEPSAKE_MCP_TOKEN');
    const [, token = ''] = /token of this run: (\S{43})\n/.exec(errors) ?? [];
    expect((await (await connectHttp(url, token)).listTools()).tools).toHaveLength(4);
    // Nothing was written.
    expect(readdirSync(directory.path)).toEqual([]);

    onTestFinished(() => void vi.unstubAllEnvs());
    for (const unfit of ['short', `with spaces ${'x'.repeat(32)}`]) {
      vi.stubEnv('KEEPSAKE_MCP_TOKEN', unfit);
      expect(await runHere('--directory', directory.path, '--http', '--port', '0')).toEqual({
        code: 2,
        output: '',
        errors: expect.stringContaining('KEEPSAKE_MCP_TOKEN must be at least 32 letters'),
      });
    }
  });

  /** Runs the command in this process, where it must end at once. */
  async function runHere(...args: string[]) {
    const printed = { output: '', errors: '' };
    const spies = (['output', 'errors'] as const).map((name) =>
      vi.spyOn(name === 'output' ? process.stdout : process.stderr, 'write').mockImplementation((text) => {
        printed[name] += text;
        return true;
      }),
    );
    try {
      return { code: await run(args), ...printed };
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  }

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
