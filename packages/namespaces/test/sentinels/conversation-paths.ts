import type { ConversationMemory, RunInput } from '@keepsake/conversations';
import { forEach, gone, kept, type Path } from './path.ts';
import { TENANTS, type World } from './world.ts';

const said = (content: string) => ({ role: 'user', content });
/** So long that a part of it is in another record. */
const FILLER = 'So it went on. '.repeat(80_000);

const of = (memory: ConversationMemory, userId: string, sessionId: string) =>
  memory.for('agent', { userId, sessionId: `${sessionId} of ${userId}` });
const completed = (...words: readonly string[]): RunInput => ({ status: 'completed', items: words.map(said) });

const tenantPaths: readonly Path[] = TENANTS.map((tenant) =>
  kept(
    `runs of tenant ${tenant}`,
    (world, user, words) =>
      forEach(words, (word) => of(world.conversations(tenant), user, 'runs').save(completed(word))),
    async (world, user) => {
      const memory = world.conversations(tenant);
      const sessions = await memory.listSessions({ userId: user, limit: 100 });
      return [sessions, await of(memory, user, 'runs').prepare()];
    },
  ),
);

const memoryOf = (world: World) => world.conversations(undefined);

/** Words in runs, summaries and profiles. */
export const conversationPaths: readonly Path[] = [
  ...tenantPaths,
  kept('ids of conversations, runs and agents', (world, user, words) =>
    forEach(words, (word) =>
      memoryOf(world)
        .for('team', { userId: user, sessionId: word, agentId: word })
        .save({ ...completed('hello'), runId: `run ${word}`, parentRunId: word }),
    ),
  ),
  kept('paused runs', (world, user, words) =>
    forEach(words, (word) =>
      of(memoryOf(world), user, 'paused').save({
        status: 'paused',
        items: [said(word)],
        checkpoint: { at: word },
        pauseReason: word,
        output: word,
        error: { of: word },
      }),
    ),
  ),
  gone('runs that were saved again', (world, user, words) =>
    forEach(words, async (word, n) => {
      const runId = `again ${n} of ${user}`;
      await of(memoryOf(world), user, 'again').save({ runId, status: 'running', items: [said(word)] });
      await of(memoryOf(world), user, 'again').save({ runId, ...completed('hello') });
    }),
  ),
  kept('a long run', (world, user, words) =>
    of(memoryOf(world), user, 'long').save({
      status: 'paused',
      items: [...words.slice(0, 5).map(said), said(FILLER), ...words.slice(5).map(said)],
    }),
  ),
  kept('metadata of conversations', (world, user, words) =>
    forEach(words, (word) => of(memoryOf(world), user, 'metadata').setMetadata({ [word]: word })),
  ),
  gone('deleted conversations', (world, user, words) =>
    forEach(words, async (word) => {
      await memoryOf(world)
        .for('workflow', { userId: user, sessionId: word })
        .save({ status: 'paused', items: [said(word)] });
      await memoryOf(world).for('workflow', { userId: user, sessionId: word }).deleteSession();
    }),
  ),
];
