import { InMemoryStore } from '@keepsake/in-memory';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ConversationMemory, type SummaryInput } from '../src/index.ts';
import { user } from './support/items.ts';
import { joined } from './support/joining-summariser.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

it('a run on which the model hangs is skipped, too', async () => {
  const hung = { times: 0 };
  const agent = new ConversationMemory({
    store: new InMemoryStore({ name: 'conversations' }),
    summaryMemory: {
      summariser: {
        async summarise(input: SummaryInput): Promise<string> {
          if (input.said.every(({ text }) => text !== 'poison')) return joined(input);
          hung.times++;
          setImmediate(() => vi.advanceTimersByTime(60_000));
          return new Promise<string>(() => {});
        },
      },
    },
  }).for('agent');
  const failures: unknown[] = [];
  for (const text of ['poison', 'one', 'two', 'three', 'four']) {
    const { errors } = await agent.save({ status: 'completed', items: [user(text)] });
    failures.push(...errors);
  }
  expect(failures).toMatchObject([
    { error: { code: 'TIMEOUT' } },
    { error: { code: 'TIMEOUT' } },
    { error: { code: 'TIMEOUT' }, skipped: { seq: 1 } },
  ]);
  expect(hung.times).toBe(3);
  expect((await agent.getSession())?.summary).toEqual({ text: 'one\ntwo\nthree\nfour', throughSeq: 5 });
});
