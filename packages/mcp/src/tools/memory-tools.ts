import type { McpServer } from '@modelcontextprotocol/server';
import { forgetTool } from './forget.ts';
import { listMemoriesTool } from './list-memories.ts';
import { memoryStatsTool } from './memory-stats.ts';
import type { ServedMemory } from './memory-tool.ts';
import { readMemoryTool } from './read-memory.ts';
import { recallTool } from './recall.ts';
import { rememberTool } from './remember.ts';
import { updateMemoryTool } from './update-memory.ts';

/** Registers the tools of a memory. */
export function memoryTools(server: McpServer, memory: ServedMemory): void {
  recallTool(server, memory);
  readMemoryTool(server, memory);
  listMemoriesTool(server, memory);
  memoryStatsTool(server, memory);
  rememberTool(server, memory);
  updateMemoryTool(server, memory);
  forgetTool(server, memory);
}
