import type { JsonValue, MemoryTool } from '@keepsake/core';
import { FunctionTool, type FunctionToolConfig, Tool } from '@strands-agents/sdk';

export function toStrandsTool(tool: MemoryTool): Tool {
  // It gets its agent, too.
  if (tool.native instanceof Tool) return tool.native;
  return new FunctionTool({
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema as NonNullable<FunctionToolConfig['inputSchema']>,
    callback: (input, { cancelSignal }) => tool.execute(input as JsonValue, { signal: cancelSignal }),
  });
}
