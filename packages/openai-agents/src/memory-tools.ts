import { isMemoryError, type JsonValue, type MemoryManager, type MemoryTool } from '@keepsake/core';
import { type Tool, tool } from '@openai/agents';

/** The tools of a memory, for the `tools` of agents. */
export function memoryTools(memory: MemoryManager): Tool[] {
  return memory.tools().map(toTool);
}

/** Converts a memory tool to a tool of the SDK. */
export function toTool(each: MemoryTool): Tool {
  return tool({
    name: each.name,
    description: each.description,
    // Memory tools have optional fields, which strict schemas don't support. They validate their input themselves.
    strict: false,
    parameters: each.inputSchema as unknown as NonStrictSchema,
    execute: (input, _context, { signal } = {}) => each.execute(input as JsonValue, { signal }),
    errorFunction: (_context, error) => describe(error),
  }) as Tool;
}

/**
 * The message that lets the model correct its call. The text of other errors is withheld, because it may contain secrets.
 */
function describe(error: unknown): string {
  return isMemoryError(error) || error instanceof AggregateError
    ? error.message
    : 'The memory failed. Go on without it.';
}

/** The type that the SDK requires of a non-strict schema. It passes any schema on unchanged. */
interface NonStrictSchema {
  type: 'object';
  properties: Record<string, object>;
  required: string[];
  additionalProperties: true;
}
