import { MemoryManager } from '@keepsake/core';
import { forEach, gone, kept, type Path } from './path.ts';
import type { World } from './world.ts';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

interface Learning {
  readonly learns?: boolean;
}

/** A manager of one user, whose outbox is in the store, and which learns only when it is flushed. */
function managerOf({ store }: World, user: string, { learns = true }: Learning = {}) {
  const extraction = {
    trigger: { name: 'never', attach() {} },
    extractor: {
      extract: async ({ messages }: { readonly messages: readonly unknown[] }) => {
        if (!learns) throw Object.assign(new Error('Refused by the content filter.'), { status: 400 });
        return [{ content: `Learned: ${JSON.stringify(messages)}` }];
      },
    },
  };
  const facts = store.within(['agent', 'bot'], { name: 'bot', extraction });
  return new MemoryManager({ stores: [facts], outbox: store, telemetry: { logger: SILENT } }).for({ user });
}

async function observe(manager: ReturnType<typeof managerOf>, thread: string, words: readonly string[]): Promise<void> {
  const chat = manager.conversation({ id: thread });
  for (const content of words) chat.observe({ role: 'user', content });
  await chat.endTurn();
}

/** Words that a manager stores of a user. */
export const managerPaths: readonly Path[] = [
  kept(
    'facts of a manager',
    (world, user, words) => forEach(words, (word) => managerOf(world, user).add(word)),
    (world, user) => managerOf(world, user).list({ limit: 100 }),
  ),
  kept('learned messages', async (world, user, words) => {
    const manager = managerOf(world, user);
    await observe(manager, 'learned', words);
    await manager.flush();
  }),
  kept('unsaved turns', (world, user, words) =>
    forEach(words, (word) => observe(managerOf(world, user), word, [word])),
  ),
  kept(
    'dead letters',
    async (world, user, words) => {
      const manager = managerOf(world, user, { learns: false });
      await observe(manager, 'refused', words);
      await manager.flush();
    },
    (world, user) => managerOf(world, user).deadLetters(),
  ),
  gone('deleted dead letters', async (world, user, words) => {
    const manager = managerOf(world, user, { learns: false });
    await observe(manager, 'refused and deleted', words);
    await manager.flush();
    const letters = (await manager.deadLetters({ limit: 100 })).items;
    const own = letters.filter(({ thread }) => thread === 'refused and deleted').map(({ id }) => id);
    await manager.deleteDeadLetters(own);
  }),
];
