import type { JsonValue, MemoryTool } from '@keepsake/core';
import { FunctionTool, type FunctionToolConfig, type Tool } from '@strands-agents/sdk';

export function toStrandsTool(tool: MemoryTool): Tool {
  return new FunctionTool({
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema as NonNullable<FunctionToolConfig['inputSchema']>,
    callback: (input, { cancelSignal }) => tool.execute(input as JsonValue, { signal: cancelSignal }),
  });
}
