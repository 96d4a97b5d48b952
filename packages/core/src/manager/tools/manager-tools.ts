import { quoted } from '@keepsake/internal';
import { withDeadline } from '../../common/deadline.ts';
import type { MemoryTool } from '../../model/tool.ts';
import { checkTools, settings, toolStores, toolsOf } from '../options/check-options.ts';
import { takesTexts } from '../options/managed-stores.ts';
import type { MemoryManagerOptions, MemorySearchToolConfig } from '../options/manager-options.ts';
import type { SearchContext } from '../search/search.ts';
import { addTool } from './add-tool.ts';
import { canForget } from './forget.ts';
import { forgetTool } from './forget-tool.ts';
import { isReadable, readTool } from './read-tool.ts';
import { DEFAULT_TOKENS, searchTool } from './search-tool.ts';

/** The calls that tools make, and the writes that they have begun. */
interface ToolCalls {
  readonly search: Parameters<typeof searchTool>[2];
  readonly add: Parameters<typeof addTool>[2];
  readonly forget: Parameters<typeof forgetTool>[2];
  readonly writes: Set<Promise<unknown>>;
}

interface ManagerTools {
  readonly tools: readonly MemoryTool[];
  /** The names of the tools whose results are memories. */
  readonly recallTools: ReadonlySet<string>;
}

/** The tools of a manager and of its stores. Throws `INVALID_ARGUMENT` for tools that no provider accepts. */
export function managerTools(options: MemoryManagerOptions, context: SearchContext, calls: ToolCalls): ManagerTools {
  const { searchToolConfig = true, addToolConfig = false, forgetToolConfig = false } = options;
  const { stores, report } = context;
  const tools: { owner: string; tool: MemoryTool }[] = [];
  const recall = searchToolConfig === false ? [] : recallTools(settings(searchToolConfig), context, calls);
  for (const tool of recall) tools.push({ owner: 'searchToolConfig', tool });
  if (addToolConfig !== false) {
    const owner = 'addToolConfig';
    const config = settings(addToolConfig);
    const able = toolStores(stores, config, [owner, 'add()', takesTexts]);
    tools.push({ owner, tool: addTool(config, able, calls.add, report, calls.writes) });
  }
  if (forgetToolConfig !== false) {
    const owner = 'forgetToolConfig';
    const config = settings(forgetToolConfig);
    const able = toolStores(stores, config, [owner, 'get() and delete()', canForget]);
    tools.push({ owner, tool: forgetTool(config, able, calls.forget) });
  }
  for (const store of stores) {
    for (const tool of toolsOf(store)) tools.push({ owner: `store ${quoted(store.name)}`, tool });
  }
  checkTools(tools);
  return { tools: tools.map(({ tool }) => tool), recallTools: new Set(recall.map(({ name }) => name)) };
}

function recallTools(config: MemorySearchToolConfig, context: SearchContext, calls: ToolCalls): MemoryTool[] {
  const { stores, deadlineMs, initialize } = context;
  const search = searchTool(config, stores, calls.search);
  const readable = stores.filter(isReadable);
  if (readable.length === 0) return [search];
  const read = readTool(readable, config.maxTokens ?? DEFAULT_TOKENS, (store, id, signal) =>
    withDeadline(deadlineMs, signal, async () => {
      await initialize(store);
      return store.get(id);
    }),
  );
  return [search, read];
}
