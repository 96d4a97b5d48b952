import { isObject, quoted } from '@keepsake/internal';
import { expect } from '../../common/expect.ts';
import type { JsonObject, JsonValue } from '../../json/json.ts';
import type { MemoryTool } from '../../model/tool.ts';
import type { MemoryStore } from '../../store/memory-store.ts';

/** A tool of the Strands SDK that can be called without an agent. */
interface StrandsTool {
  readonly name: string;
  readonly description: string;
  readonly toolSpec?: { readonly inputSchema?: JsonObject };
  invoke(input: JsonValue, context?: object): Promise<JsonValue>;
}

/**
 * The tools of a store that is written for the Strands SDK, where the method is called `getTools`.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for a tool that can't be called without an agent.
 */
export function strandsToolsOf(store: MemoryStore): unknown {
  const { getTools } = store as { getTools?: () => unknown };
  const tools = typeof getTools === 'function' ? getTools.call(store) : [];
  return Array.isArray(tools) ? tools.map((tool) => toMemoryTool(tool, store.name)) : tools;
}

function toMemoryTool(tool: StrandsTool, storeName: string): MemoryTool {
  expect(
    isObject(tool) && typeof tool.invoke === 'function',
    `getTools() of the store ${quoted(storeName)} must return tools with invoke(), such as those made by tool() of the Strands SDK. Or give the store a method tools().`,
  );
  const { name, description, toolSpec } = tool;
  const inputSchema = toolSpec?.inputSchema ?? { type: 'object', properties: {} };
  return { name, description, inputSchema, execute: (input) => tool.invoke(input), native: tool };
}
