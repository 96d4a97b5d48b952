import { importPeer } from '../peers.ts';
import type { SessionKind } from './session-kind.ts';
import { textOf } from './turn.ts';

interface Agents {
  readonly MemorySession: new (options: {
    initialItems: readonly object[];
  }) => {
    addItems(items: readonly object[]): Promise<void>;
    getItems(limit: number): Promise<readonly object[]>;
  };
}

/** The session that comes with the OpenAI Agents SDK. */
export const agentsMemorySession: SessionKind = {
  name: 'MemorySession',
  column: 'OpenAI Agents',
  async open(_directory, begin = []) {
    const { MemorySession }: Agents = await importPeer('@openai/agents');
    const session = new MemorySession({ initialItems: begin.flatMap(({ items }) => items) });
    return {
      append: ({ items }) => session.addItems(items),
      newest: async (count) => (await session.getItems(count)).map(textOf),
    };
  },
};
