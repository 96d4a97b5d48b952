import { join } from 'node:path';
import {
  Client,
  type ClientCapabilities,
  type ElicitResult,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';

/** The versions of the protocol that servers speak. */
export const ERAS = ['2025-11-25', '2026-07-28'] as const;
type Era = (typeof ERAS)[number];

/** The options of tests by transport: by day, few run over stdio, which needs processes. Every night, all do. */
export const atNightOver = (transport: string): { readonly tags?: 'nightly'[] } =>
  transport === 'stdio' ? { tags: ['nightly'] } : {};

export interface ConnectOptions {
  readonly era?: Era;
  /** Answers questions. Without it, the client can't ask its user. */
  readonly answer?: (message: string) => ElicitResult;
  /** The ways of asking that the client announces. */
  readonly elicitation?: ClientCapabilities['elicitation'];
}

export const PROGRAM = join(import.meta.dirname, '../../src/keepsake-mcp.ts');
/** Before 24.15, Node calls SQLite experimental. */
export const NODE_ARGS = ['--conditions=@keepsake/source', '--disable-warning=ExperimentalWarning'];

/** Connects the official client to a server process. */
export async function connectStdio(args: readonly string[], options: ConnectOptions = {}): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...NODE_ARGS, PROGRAM, ...args],
    env: { ...getDefaultEnvironment(), NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '' },
    stderr: 'pipe',
  });
  return connect(transport, options);
}

/** Connects the official client to a server at a URL. */
export async function connectHttp(url: string, token: string, options: ConnectOptions = {}): Promise<Client> {
  const headers = { Authorization: `Bearer ${token}` };
  return connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }), options);
}

async function connect(
  transport: Transport,
  { era = '2026-07-28', answer, elicitation = answer && {} }: ConnectOptions,
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      capabilities: { ...(elicitation && { elicitation }) },
      versionNegotiation: { mode: era === '2025-11-25' ? 'legacy' : { pin: era } },
    },
  );
  if (answer !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) => answer(params.message));
  }
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** The text of a result. */
export function textOf(result: { readonly content: readonly unknown[] }): string {
  return (result.content as readonly { readonly text?: string }[]).map(({ text }) => text ?? '').join('\n');
}

/** The JSON of a result, whose shape each test knows. */
// biome-ignore lint/suspicious/noExplicitAny: the tests assert the shapes
export type Json = any;

export function structured(result: { readonly structuredContent?: unknown }): Json {
  return result.structuredContent;
}

/** Calls a tool and returns its JSON. Throws the text of a failure. */
export async function call(client: Client, name: string, input: object = {}): Promise<Json> {
  const result = await client.callTool({ name, arguments: input as Record<string, unknown> });
  if (result.isError) throw new Error(textOf(result));
  return structured(result);
}
