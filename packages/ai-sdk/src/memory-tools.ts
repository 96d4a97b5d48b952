import type { JsonValue, MemoryManager } from '@keepsake/core';
import { jsonSchema, type ToolSet, tool } from 'ai';

/** The tools of a memory, for the `tools` of `generateText`, `streamText` and agents. */
export function memoryTools(memory: MemoryManager): ToolSet {
  return Object.fromEntries(
    memory.tools().map((each) => [
      each.name,
      tool({
        description: each.description,
        inputSchema: jsonSchema<JsonValue>(each.inputSchema),
        execute: (input, { abortSignal: signal }) => each.execute(input, { signal }),
      }),
    ]),
  );
}
