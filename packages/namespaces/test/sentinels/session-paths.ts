import { forEach, gone, kept, type Path } from './path.ts';
import type { World } from './world.ts';

const scopeOf = ({ space }: World, id: string) => space.as({ principal: { id }, agent: 'bot' });
const sessionOf = (world: World, user: string, name: string) => scopeOf(world, user).session(name);
const said = (content: string) => ({ type: 'message', role: 'user', content });
const called = (callId: string, text: string) => ({ type: 'function_call', callId, name: 'look', arguments: text });

/** Words in sessions, including those that are no longer in the history. */
export const sessionPaths: readonly Path[] = [
  kept(
    'items',
    (world, user, words) => sessionOf(world, user, 'items').addItems(words.map(said)),
    (world, user) => sessionOf(world, user, 'items').getItems(),
  ),
  kept(
    'ids of sessions',
    (world, user, words) => forEach(words, (word) => sessionOf(world, user, word).addItems([said('hello')])),
    (world, user) => scopeOf(world, user).sessions.list({ limit: 1_000 }),
  ),
  kept('transactions', (world, user, words) =>
    forEach(words, (word) =>
      sessionOf(world, user, 'transactions').applyHistoryTransaction({
        operationId: word,
        transaction: { type: 'append_items', items: [said(word)] },
      }),
    ),
  ),
  gone('a replaced suffix', async (world, user, words) => {
    const session = sessionOf(world, user, 'suffix');
    const expectedSuffix = words.map(said);
    await session.addItems(expectedSuffix);
    const transaction = { type: 'replace_suffix' as const, expectedSuffix, replacement: [said('something else')] };
    await session.applyHistoryTransaction({ operationId: 'replace', transaction });
  }),
  gone('replaced function calls', async (world, user, words) => {
    const session = sessionOf(world, user, 'calls');
    await session.addItems(words.map((word, n) => called(`call ${n}`, word)));
    const mutations = words.map((_, n) => ({
      type: 'replace_function_call' as const,
      callId: `call ${n}`,
      replacement: called(`call ${n}`, 'nothing'),
    }));
    await session.applyHistoryMutations({ mutations });
  }),
  gone('a compacted history', async (world, user, words) => {
    await sessionOf(world, user, 'compacted').addItems(words.map(said));
    await sessionOf(world, user, 'compacted').replaceHistoryWithCompaction([said('a summary')]);
  }),
  gone('popped items', async (world, user, words) => {
    await sessionOf(world, user, 'popped').addItems([said('stays'), ...words.map(said)]);
    await forEach(words, () => sessionOf(world, user, 'popped').popItem());
  }),
  gone('a cleared session', async (world, user, words) => {
    await sessionOf(world, user, 'cleared').addItems(words.map(said));
    await sessionOf(world, user, 'cleared').clearSession();
  }),
  gone('deleted sessions', (world, user, words) =>
    forEach(words, async (word) => {
      await sessionOf(world, user, `deleted ${word}`).addItems([said(word)]);
      await scopeOf(world, user).sessions.delete(`deleted ${word}`);
    }),
  ),
  kept(
    'sessions without a space',
    ({ sessions }, user, words) =>
      forEach(words, (word) => sessions.open(`tenant:acme:u:${user}:${word}`).addItems([said(word)])),
    ({ sessions }, user, words) =>
      Promise.all(words.map((word) => sessions.open(`tenant:acme:u:${user}:${word}`).getItems())),
  ),
  kept('turns', (world, user, words) =>
    forEach(words, (word) =>
      scopeOf(world, user).turn({ sessionId: 'turns', input: word }, async () => `It is ${word}`),
    ),
  ),
];
