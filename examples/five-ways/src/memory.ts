import { ConversationMemory } from '@keepsake/conversations';
import { MemoryManager } from '@keepsake/core';
import { type MemoryScope, MemorySpace } from '@keepsake/namespaces';
import { SqliteSessionStore, SqliteStore } from '@keepsake/sqlite';
import { recordWorkspace, WorkspaceMemory } from '@keepsake/workspace';
import { scriptedModel } from './scripted-model.ts';

/** All five ways to remember, in one SQLite file. */
export function openMemory(file: string) {
  const store = new SqliteStore({ file, name: 'memory' });
  const conversations = new ConversationMemory({
    store: store.within(['conversations']),
    model: scriptedModel,
    fullSessionMemory: true,
    summaryMemory: true,
    userAnalysisMemory: { dynamic: true },
  });
  return {
    conversations,
    space: new MemorySpace({
      store: store.within(['space']),
      sessions: new SqliteSessionStore({ file }),
      agents: { guide: {} },
      // What the space erases and exports along with its own data.
      userData: { conversations },
    }),
    workspace: new WorkspaceMemory({ workspace: recordWorkspace(store.within(['workspace'])), model: scriptedModel }),
    close: () => store.close(),
  };
}

/** What a user said before, in whatever conversation. Without a model, messages are learned as they are. */
export function managerOf(scope: MemoryScope): MemoryManager {
  return new MemoryManager({ stores: [scope.memory.within([], { name: 'said', extraction: true })] });
}
