import type { JsonObject, MemoryRecord, RecordStore } from '@keepsake/core';
import { contentId } from '@keepsake/core/adapter';
import { escapeText } from '@keepsake/internal';
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { addMemoryTool, type ServedMemory } from './memory-tool.ts';

export const METADATA = z
  .record(z.string(), z.unknown())
  .optional()
  .describe('JSON to filter by later, such as {"topic": "travel"}. At most 64 KiB');

export function rememberTool(server: McpServer, memory: ServedMemory): void {
  addMemoryTool(
    server,
    memory,
    {
      name: 'remember',
      title: 'Remember',
      description:
        'Stores a lasting fact, preference or decision in long-term memory, as a text that is understood alone. A text that is known already stays as it is. To correct a memory, call update_memory.',
      does: 'adds',
      input: {
        content: z.string().min(1).describe('What to remember, in full sentences. At most 1 MiB'),
        metadata: METADATA,
      },
      output: {
        id: z.string(),
        createdAt: z.string(),
        isNew: z.boolean().describe('False if the same text was known already'),
      },
    },
    async ({ content, metadata }) => {
      const existingRecord = await knownRecord(memory.store, content);
      const { id, createdAt } = existingRecord ?? (await memory.store.add(content, metadata as JsonObject | undefined));
      const isNew = existingRecord === undefined;
      const text = `${isNew ? 'Stored' : 'Already known'}. id: ${escapeText(id)}`;
      return { text, json: { id, createdAt, isNew } };
    },
  );
}

/** Adding a known text again would replace its metadata. */
async function knownRecord(store: RecordStore, content: string): Promise<MemoryRecord | undefined> {
  const record = await store.get(await contentId(content));
  return record?.validUntil === undefined ? record : undefined;
}
