import { checkId } from '@keepsake/core/adapter';
import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { fitMemories, memoriesText } from '../text/memory-text.ts';
import { listedPart, recordPart } from '../text/shown-memory.ts';
import { TOKENS } from '../text/token-limits.ts';
import type { ServedMemory } from '../tools/memory-tool.ts';
import { sessionResource } from './session-resource.ts';
import { idIn, MIME_TYPE, textContents } from './text-contents.ts';

/** Registers what users can attach to a conversation. */
export function memoryResources(server: McpServer, memory: ServedMemory): void {
  recentResource(server, memory);
  recordResource(server, memory);
  if (memory.sessions !== undefined) sessionResource(server, memory.sessions);
}

const MAX_RECENT = 50;

function recentResource(server: McpServer, { store }: ServedMemory): void {
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

function recordResource(server: McpServer, { store }: ServedMemory): void {
  const about = {
    title: 'Memory',
    description: 'A memory by its id, percent-encoded. Of a long one, the beginning.',
    mimeType: MIME_TYPE,
  };
  const template = new ResourceTemplate('memory://record/{id}', { list: undefined });
  server.registerResource('record', template, about, async (uri, { id }) => {
    const recordId = idIn(uri, id);
    checkId(recordId, 'The id');
    const record = await store.get(recordId);
    if (record === undefined) throw new ResourceNotFoundError(uri.href);
    return textContents(uri, memoriesText(fitMemories([recordPart(record)], TOKENS.most)));
  });
}
