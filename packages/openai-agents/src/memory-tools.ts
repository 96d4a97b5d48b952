import { isMemoryError, type JsonValue, type MemoryManager, type MemoryTool } from '@keepsake/core';
import { type Tool, tool } from '@openai/agents';

/** The tools of a memory, for `tools` of agents. */
export function memoryTools(memory: MemoryManager): Tool[] {
  return memory.tools().map(toTool);
}

/** A tool of memory as one of the SDK. */
export function toTool(each: MemoryTool): Tool {
  return tool({
    name: each.name,
    description: each.description,
    // Tools of memory have optional fields, which strict schemas don't know. What is wrong in a call they say themselves.
    strict: false,
    parameters: each.inputSchema as unknown as NonStrictSchema,
    execute: (input, _context, { signal } = {}) => each.execute(input as JsonValue, { signal }),
    errorFunction: (_context, error) => describe(error),
  }) as Tool;
}

/** What a model needs to know to do it right the next time; of errors of others, nothing that may be secret. */
function describe(error: unknown): string {
  return isMemoryError(error) || error instanceof AggregateError
    ? error.message
    : 'The memory failed. Go on without it.';
}

/** What the SDK's types ask of a schema that isn't strict; it hands any schema on as it is. */
interface NonStrictSchema {
  type: 'object';
  properties: Record<string, object>;
  required: string[];
  additionalProperties: true;
}
