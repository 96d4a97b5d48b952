import { foldSessionSummary } from '@anthropic-ai/claude-agent-sdk';
import { KeepsakeMemoryTool, KeepsakeSessionStore } from '@keepsake/claude';
import { SqliteStore } from '@keepsake/sqlite';
import { recordWorkspace } from '@keepsake/workspace';

/** The memory tool and the session store, both in one SQLite file. */
export function openMemory(directory: string) {
  const store = new SqliteStore({ file: `${directory}/memory.db`, name: 'claude', namespace: ['u', 'alice'] });
  return {
    memoryTool: new KeepsakeMemoryTool({ workspace: recordWorkspace(store.within(['files'])) }),
    sessionStore: new KeepsakeSessionStore({ store, foldSessionSummary }),
    close: () => store.close(),
  };
}
