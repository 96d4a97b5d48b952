import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FileStore } from '@keepsake/file';
import type { Client } from '@modelcontextprotocol/client';
import { stdioCommand } from '../serve-memory.ts';

/** A memory server to compare, and how it is called. */
export interface MemoryServer {
  /** Its package, as npm knows it. */
  readonly name: string;
  /** The command that starts it on a directory, with its environment. */
  start(
    peers: string,
    directory: string,
  ): { readonly command: readonly string[]; readonly env?: Record<string, string> };
  /** Stores one fact. */
  write(client: Client, fact: Fact): Promise<void>;
  /** How many facts are stored, as a new process sees it. */
  count(client: Client, directory: string): Promise<number>;
  /** Finds facts by a question. Missing where it has no search. */
  ask?(client: Client, question: string): Promise<string>;
}

/** A fact with a name that no other has. */
export interface Fact {
  readonly name: string;
  readonly text: string;
}

const FILE = 'memory.jsonl';

/** The servers of the comparison: those of npm run without a key, a model or a download. */
export const SERVERS: readonly MemoryServer[] = [
  {
    name: '@keepsake/mcp',
    start: (_, directory) => ({ command: stdioCommand(directory) }),
    write: async (client, { text }) => void (await call(client, 'remember', { content: text })),
    count: async (client) => (await call(client, 'memory_stats', {})).structuredContent?.memories as number,
    ask: (client, query) => textFrom(client, 'recall', { query }),
  },
  {
    ...graphServer('@keepsake/mcp --compat server-memory'),
    start: (_, directory) => ({ command: [...stdioCommand(directory), '--compat', 'server-memory'] }),
    // Its `read_graph` is bounded.
    count: async (_, directory) => {
      const entities = await new FileStore({ directory, name: 'memory' }).list({ limit: 1_000 });
      return entities.items.length;
    },
  },
  {
    ...graphServer('@modelcontextprotocol/server-memory'),
    start: (peers, directory) => ({
      command: [process.execPath, join(peers, '@modelcontextprotocol/server-memory/dist/index.js')],
      env: { MEMORY_FILE_PATH: join(directory, FILE) },
    }),
  },
  {
    ...graphServer('@itseasy21/mcp-knowledge-graph'),
    start: (peers, directory) => ({
      command: [
        process.execPath,
        join(peers, '@itseasy21/mcp-knowledge-graph/dist/index.js'),
        '--memory-path',
        join(directory, FILE),
      ],
    }),
  },
  {
    ...graphServer('mcp-memory-libsql'),
    start: (peers, directory) => ({
      command: [process.execPath, join(peers, 'mcp-memory-libsql/dist/index.js')],
      env: { LIBSQL_URL: `file:${join(directory, 'memory.db')}` },
    }),
    // Its `read_graph` returns the newest ten entities.
    count: async (_, directory) => {
      const database = new DatabaseSync(join(directory, 'memory.db'), { readOnly: true });
      try {
        return Number(database.prepare('SELECT count(*) AS count FROM entities').get()?.count);
      } finally {
        database.close();
      }
    },
  },
  {
    name: '@allpepper/memory-bank-mcp',
    start: (peers, directory) => ({
      command: [process.execPath, join(peers, '@allpepper/memory-bank-mcp/dist/main/index.js')],
      env: { MEMORY_BANK_ROOT: directory },
    }),
    async write(client, { name, text }) {
      const fileName = `${name.replaceAll(' ', '-')}.md`;
      await call(client, 'memory_bank_write', { projectName: 'facts', fileName, content: text });
    },
    async count(client) {
      const listed = await textFrom(client, 'list_project_files', { projectName: 'facts' });
      return listed.match(/fact-/g)?.length ?? 0;
    },
  },
];

/** A server with the tools of the reference memory server. */
function graphServer(name: string): Pick<MemoryServer, 'name' | 'write' | 'count' | 'ask'> {
  return {
    name,
    async write(client, fact) {
      const entity = { name: fact.name, entityType: 'fact', observations: [fact.text] };
      await call(client, 'create_entities', { entities: [entity] });
    },
    async count(client) {
      const graph = JSON.parse(await textFrom(client, 'read_graph', {})) as { readonly entities: readonly unknown[] };
      return graph.entities.length;
    },
    ask: (client, query) => textFrom(client, 'search_nodes', { query }),
  };
}

async function textFrom(client: Client, name: string, input: Record<string, unknown>): Promise<string> {
  const { content } = await call(client, name, input);
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

/** @throws Error if the tool reports a failure. */
async function call(client: Client, name: string, input: Record<string, unknown>) {
  const result = await client.callTool({ name, arguments: input });
  if (result.isError) throw new Error(JSON.stringify(result.content));
  // biome-ignore lint/suspicious/noExplicitAny: each server has its own shape
  return result as typeof result & { readonly structuredContent?: any };
}
