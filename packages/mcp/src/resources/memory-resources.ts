import type { McpServer } from '@modelcontextprotocol/server';
import type { ServedMemory } from '../tools/memory-tool.ts';
import { recentResource } from './recent-resource.ts';
import { recordResource } from './record-resource.ts';
import { sessionResource } from './session-resource.ts';

/** Registers what users can attach to a conversation. */
export function memoryResources(server: McpServer, memory: ServedMemory): void {
  recentResource(server, memory);
  recordResource(server, memory);
  if (memory.sessions !== undefined) sessionResource(server, memory.sessions);
}
