import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { OpenContender } from './contender.ts';

interface Response {
  readonly id?: number;
  readonly error?: { readonly message: string };
  readonly result?: { readonly isError?: boolean };
}

/** The reference memory server of MCP over stdio, with its file in the directory. */
export async function openServerMemory(directory: string): Promise<OpenContender> {
  const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/package.json');
  const server = spawn(process.execPath, [join(dirname(manifest), 'dist/index.js')], {
    env: { ...process.env, MEMORY_FILE_PATH: join(directory, 'memory.jsonl') },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const waiting = new Map<number, (response: Response) => void>();
  createInterface({ input: server.stdout }).on('line', (line) => {
    const response: Response = JSON.parse(line);
    waiting.get(response.id ?? -1)?.(response);
  });
  let last = 0;
  const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request = async (method: string, params: object) => {
    const id = ++last;
    const answer = new Promise<Response>((resolve) => waiting.set(id, resolve));
    send({ id, method, params });
    const { error, result } = await answer;
    if (error !== undefined || result?.isError) throw new Error(error?.message ?? `${method} failed`);
    return result;
  };
  await request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '0' },
  });
  send({ method: 'notifications/initialized' });
  const call = (name: string, input: object) => request('tools/call', { name, arguments: input });
  return {
    write: (text) => call('create_entities', { entities: [{ name: text, entityType: 'fact', observations: [text] }] }),
    read: async () => JSON.stringify(await call('read_graph', {})),
    async close() {
      server.kill();
      await once(server, 'exit');
    },
  };
}
