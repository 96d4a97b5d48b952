import type { McpServer } from '@modelcontextprotocol/server';
import { fitMemories, memoriesText } from '../text/memory-text.ts';
import { listedPart } from '../text/shown-memory.ts';
import { TOKENS } from '../text/token-limits.ts';
import type { ServedMemory } from '../tools/memory-tool.ts';
import { MIME_TYPE, textContents } from './text-contents.ts';

const MAX_RECENT = 50;

export function recentResource(server: McpServer, { store }: ServedMemory): void {
  const about = {
    title: 'Recent memories',
    description: `The newest memories, at most ${MAX_RECENT}, each with its beginning.`,
    mimeType: MIME_TYPE,
  };
  server.registerResource('recent', 'memory://recent', about, async (uri, { mcpReq: { signal } }) => {
    const { items } = await store.list({ limit: MAX_RECENT, signal });
    return textContents(uri, memoriesText(fitMemories(items.map(listedPart), TOKENS.most)));
  });
}
