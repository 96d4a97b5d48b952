import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { fitMemories, memoriesText } from '../text/memory-text.ts';
import { foundPart } from '../text/shown-memory.ts';
import { TOKENS } from '../text/token-limits.ts';
import type { ServedMemory } from '../tools/memory-tool.ts';
import { QUERY } from '../tools/recall.ts';

const MAX_RESULTS = 20;

/** A prompt for users: their message, after what memory knows about it. */
export function withMemoryPrompt(server: McpServer, { store }: ServedMemory): void {
  server.registerPrompt(
    'with-memory',
    {
      title: 'With memory',
      description: 'Sends your message together with the memories that match it.',
      argsSchema: z.object({ message: QUERY.describe('Your message') }),
    },
    async ({ message }, { mcpReq: { signal } }) => {
      const memories = await store.search(message, { maxSearchResults: MAX_RESULTS, signal });
      const shown = fitMemories(memories.map(foundPart), TOKENS.byDefault);
      const text = shown.length === 0 ? message : `${memoriesText(shown)}\n\n${message}`;
      return { messages: [{ role: 'user', content: { type: 'text', text } }] };
    },
  );
}
