import { formatNamespace } from '@keepsake/core';
import { allPages } from '@keepsake/internal';
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { safeJson } from '../text/safe-json.ts';
import { addMemoryTool, type ServedMemory } from './memory-tool.ts';

/** Counting reads the memories, so it stops here. */
const MAX_COUNTED = 10_000;

export function memoryStatsTool(server: McpServer, memory: ServedMemory): void {
  addMemoryTool(
    server,
    memory,
    {
      name: 'memory_stats',
      title: 'Memory statistics',
      description: 'Counts the memories, and says since when there are any and what this memory can do.',
      does: 'reads',
      input: {},
      output: {
        namespace: z.string().describe('Whose memory it is. Empty for the root'),
        memories: z.int().describe('How many there are now'),
        isExact: z.boolean().describe(`False if there are more than the ${MAX_COUNTED} that are counted`),
        newest: z.string().optional().describe('When the latest was created'),
        oldest: z.string().optional().describe('When the first was created'),
        search: z.enum(['lexical', 'semantic', 'hybrid']).describe('By words, by meaning, or both'),
        history: z.boolean().describe('Whether asOf works, and update_memory keeps what was known before'),
        readOnly: z.boolean(),
      },
    },
    async (_, { mcpReq: { signal } }) => {
      const { store, readOnly } = memory;
      let memories = 0;
      for await (const records of allPages((page) => store.list({ ...page, signal }))) {
        memories += records.length;
        if (memories >= MAX_COUNTED) break;
      }
      const [newest, oldest] = await Promise.all(
        (['newest', 'oldest'] as const).map((order) => store.list({ order, limit: 1, signal })),
      );
      const json = {
        namespace: formatNamespace(store.namespace),
        memories,
        isExact: memories < MAX_COUNTED,
        newest: newest?.items[0]?.createdAt,
        oldest: oldest?.items[0]?.createdAt,
        search: store.capabilities.search,
        history: store.capabilities.history,
        readOnly,
      };
      return { text: safeJson(json), json };
    },
  );
}
