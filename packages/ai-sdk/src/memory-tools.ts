import type { JsonValue, MemoryManager, MemoryTool } from '@keepsake/core';
import { jsonSchema, type ToolSet, tool } from 'ai';

/** The tools of a memory, for the `tools` of `generateText`, `streamText` and agents. */
export function memoryTools(memory: MemoryManager): ToolSet {
  return toToolSet(memory.tools());
}

/** Converts memory tools to tools of the SDK. */
export function toToolSet(tools: readonly MemoryTool[]): ToolSet {
  return Object.fromEntries(
    tools.map((each) => [
      each.name,
      tool({
        description: each.description,
        inputSchema: jsonSchema<JsonValue>(each.inputSchema),
        execute: (input, { abortSignal: signal }) => each.execute(input, { signal }),
      }),
    ]),
  );
}
