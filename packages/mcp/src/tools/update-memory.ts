import { type JsonObject, MemoryError, type MemoryRecord, type RecordInput } from '@keepsake/core';
import { escapeText, keptFields } from '@keepsake/internal';
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { findRecord } from './find-record.ts';
import { addMemoryTool, type ServedMemory } from './memory-tool.ts';
import { METADATA } from './remember.ts';
import { ID } from './selection.ts';

export function updateMemoryTool(server: McpServer, memory: ServedMemory): void {
  addMemoryTool(
    server,
    memory,
    {
      name: 'update_memory',
      title: 'Update a memory',
      description:
        'Replaces the text of a memory that is no longer right. The memory gets a new id if the store keeps what was known before, which asOf then finds.',
      does: 'changes',
      input: {
        id: ID,
        content: z.string().min(1).describe('The whole new text. At most 1 MiB'),
        metadata: METADATA.describe('The whole new metadata. By default, it stays'),
        ifVersion: z
          .int()
          .min(1)
          .optional()
          .describe('The version that read_memory returned. If another writer was faster, nothing changes'),
      },
      output: {
        id: z.string().describe('The id of the memory from now on'),
        version: z.int(),
        updatedAt: z.string(),
        supersedes: z.string().optional().describe('The id of the memory that it replaced'),
      },
    },
    async ({ id: before, content, metadata, ifVersion }, { mcpReq: { signal } }) => {
      const { store } = memory;
      const record = await findRecord(store, before);
      expectOpen(record);
      const input: RecordInput = {
        ...keptFields(record),
        ...(store.capabilities.history ? { supersedes: before } : { id: before }),
        content,
        ...(metadata !== undefined && { metadata: metadata as JsonObject }),
      };
      const { id, version, updatedAt, supersedes } = await store.put(input, {
        ifVersion: ifVersion ?? record.version,
        signal,
      });
      return {
        text: `Updated. id: ${escapeText(id)}`,
        json: { id, version, updatedAt, ...(supersedes !== undefined && { supersedes }) },
      };
    },
  );
}

function expectOpen({ validUntil, supersededBy }: MemoryRecord): void {
  if (validUntil === undefined) return;
  const next = supersededBy === undefined ? 'Call remember instead.' : `Update ${escapeText(supersededBy)} instead.`;
  throw new MemoryError('CONFLICT', `This memory was replaced at ${validUntil}. ${next}`);
}
