import { checkId } from '@keepsake/core/adapter';
import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { fitMemories, memoriesText } from '../text/memory-text.ts';
import { recordPart } from '../text/shown-memory.ts';
import { TOKENS } from '../text/token-limits.ts';
import type { ServedMemory } from '../tools/memory-tool.ts';
import { idIn, MIME_TYPE, textContents } from './text-contents.ts';

export function recordResource(server: McpServer, { store }: ServedMemory): void {
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
