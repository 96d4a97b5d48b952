import { join } from 'node:path';
import type { Session } from '@keepsake/core';
import { FileSession } from '@keepsake/file';
import { InMemorySession } from '@keepsake/in-memory';
import type { OpenSession, SessionKind } from './session-kind.ts';
import { textOf } from './turn.ts';

export const keepsakeInMemory: SessionKind = {
  name: 'InMemorySession',
  async open(_directory, begin = []) {
    const session = new InMemorySession();
    for (const { items } of begin) await session.addItems(items);
    return opened(session);
  },
};

export const keepsakeFile = fileKind('FileSession', 'os');

export const keepsakeFlushedFile = fileKind('FileSession, sync', 'sync');

function fileKind(name: string, durability: 'os' | 'sync'): SessionKind {
  return {
    name,
    layout: 'keepsake',
    async open(directory, begin = []) {
      const options = { directory: join(directory, 'keepsake'), sessionId: 'chat' };
      const quick = new FileSession({ ...options, durability: 'os' });
      for (const { items } of begin) await quick.addItems(items);
      return opened(new FileSession({ ...options, durability }));
    },
  };
}

function opened(session: Session): OpenSession {
  return {
    append: ({ items }) => session.addItems(items),
    newest: async (count) => (await session.getItems(count)).map(textOf),
  };
}
