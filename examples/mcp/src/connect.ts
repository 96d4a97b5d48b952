import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** The command of the server in this repository. In a project, it is `npx @keepsake/mcp`. */
const PROGRAM = fileURLToPath(new URL('keepsake-mcp.ts', import.meta.resolve('@keepsake/mcp')));

/** Starts a server and connects a client to it, which prints its calls. */
export async function connect(name: string, directory: string) {
  const client = new Client(
    { name, version: '1.0.0' },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'auto' } },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    console.log(`${name} asks: ${params.message.replace('\n', ' ')}`);
    return { action: 'accept', content: { confirm: true } };
  });
  const args = [...process.execArgv, PROGRAM, '--directory', directory];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  return {
    async call(tool: string, input: Record<string, unknown>): Promise<void> {
      const { structuredContent } = await client.callTool({ name: tool, arguments: input });
      const { memories = [], forgotten = [] } = structuredContent as Record<string, { readonly content: string }[]>;
      console.log(`${name} ${tool}`, ...[...memories, ...forgotten].map(({ content }) => `"${content}"`));
    },
    close: () => client.close(),
  };
}
