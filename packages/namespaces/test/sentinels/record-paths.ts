import { call } from '../support.ts';
import { forEach, gone, kept, type Path } from './path.ts';
import type { World } from './world.ts';

const scopeOf = ({ space }: World, id: string) => space.as({ principal: { id }, agent: 'bot', team: 'crew' });
const memoryOf = (world: World, user: string) => scopeOf(world, user).memory;
const poolOf = (world: World, user: string) => scopeOf(world, user).pool('docs');
const teamOf = (world: World, user: string) => scopeOf(world, user).team();
const otherThan = (user: string) => (user === 'alice' ? 'carol' : 'dave');
const PASSING_MS = 1;

/** Words in private memories and in namespaces of users. */
const privatePaths: readonly Path[] = [
  kept(
    'contents',
    (world, user, words) => memoryOf(world, user).putMany(words.map((content) => ({ content }))),
    async (world, user, words) => {
      const found = await Promise.all(words.map((word) => memoryOf(world, user).search(word)));
      return found.flat().map(({ content }) => content);
    },
  ),
  kept(
    'ids',
    (world, user, words) => memoryOf(world, user).putMany(words.map((id) => ({ id, content: 'with an id' }))),
    (world, user, words) => Promise.all(words.map((id) => memoryOf(world, user).get(id))),
  ),
  kept('metadata', (world, user, words) =>
    memoryOf(world, user).putMany(words.map((word) => ({ content: 'with metadata', metadata: { [word]: word } }))),
  ),
  kept('turns and sources', (world, user, words) =>
    memoryOf(world, user).putMany(
      words.map((word) => ({
        content: 'with a turn',
        turn: { thread: word, index: 0, speaker: word },
        source: { conversation: word, run: word, speaker: word },
      })),
    ),
  ),
  kept('child namespaces', (world, user, words) =>
    forEach(words, (word) => memoryOf(world, user).within([word]).put({ content: 'below' })),
  ),
  kept('records without search', (world, user, words) =>
    memoryOf(world, user).putMany(words.map((content) => ({ content, index: false }))),
  ),
  kept('messages', (world, user, words) =>
    forEach(words, (text, n) =>
      memoryOf(world, user).addMessages([{ role: 'user', content: [{ text }] }], { sequenceNumbers: [n], runId: text }),
    ),
  ),
  kept('the tool remember', (world, user, words) =>
    forEach(words, (word) => call(scopeOf(world, user), 'remember', { key: word, content: word, source: word })),
  ),
  kept('an agent called u', ({ space }, id, words) => {
    const { memory } = space.as({ principal: { id }, agent: 'u' });
    return memory.putMany(words.map((content) => ({ content })));
  }),
  kept('namespaces without a space', (world, user, words) =>
    world.own(user).putMany(words.map((content) => ({ content }))),
  ),
  kept('namespaces of teams of a tenant', ({ store }, user, words) =>
    store.within(['team', 'x', 'u', user, 'notes']).putMany(words.map((content) => ({ content }))),
  ),
  gone('replaced contents', async (world, user, words) => {
    const memory = memoryOf(world, user);
    await memory.putMany(words.map((content, n) => ({ id: `replaced ${n}`, content, metadata: { note: content } })));
    await memory.putMany(words.map((_, n) => ({ id: `replaced ${n}`, content: 'something else' })));
  }),
  kept('superseded contents', async (world, user, words) => {
    const memory = memoryOf(world, user);
    await memory.putMany(words.map((content, n) => ({ id: `first ${n}`, content })));
    await forEach(words, (_, n) =>
      memory.put({ id: `second ${n}`, content: 'something newer', supersedes: `first ${n}` }),
    );
  }),
  gone('deleted contents', async (world, user, words) => {
    const memory = memoryOf(world, user);
    await memory.putMany(words.map((word) => ({ id: `deleted ${word}`, content: word })));
    await forEach(words, (word) => memory.delete(`deleted ${word}`));
  }),
  gone('expired contents', (world, user, words) =>
    memoryOf(world, user).putMany(words.map((content) => ({ content, ttlMs: PASSING_MS }))),
  ),
  gone('a cleared namespace', async (world, user, words) => {
    const place = memoryOf(world, user).within(['cleared']);
    await place.putMany(words.map((content) => ({ content })));
    await place.clear();
  }),
];

/** Words of a user in pools and teams. */
const sharedPaths: readonly Path[] = [
  kept(
    'pool entries',
    (world, user, words) => poolOf(world, user).putMany(words.map((content) => ({ content, metadata: { content } }))),
    async (world, user, words) => {
      const found = await Promise.all(words.map((word) => poolOf(world, user).search(word)));
      return found.flat().map(({ content }) => content);
    },
  ),
  kept('ids of team entries', (world, user, words) =>
    teamOf(world, user).putMany(words.map((id) => ({ id, content: 'found' }))),
  ),
  kept('the tools share_to and share_finding', (world, user, words) =>
    forEach(words, async (word) => {
      await call(scopeOf(world, user), 'share_to', { pool: 'docs', key: word, content: word });
      await call(scopeOf(world, user), 'share_finding', { key: word, content: word });
    }),
  ),
  gone('replaced pool entries', async (world, user, words) => {
    await poolOf(world, user).putMany(words.map((content, n) => ({ id: `${user} replaced ${n}`, content })));
    await poolOf(world, user).putMany(words.map((_, n) => ({ id: `${user} replaced ${n}`, content: 'new' })));
  }),
  gone('pool entries that others replaced', async (world, user, words) => {
    await poolOf(world, user).putMany(words.map((content, n) => ({ id: `${user} taken ${n}`, content })));
    const other = poolOf(world, otherThan(user));
    await other.putMany(words.map((_, n) => ({ id: `${user} taken ${n}`, content: 'by somebody else' })));
  }),
  kept('pool entries that others superseded', async (world, user, words) => {
    await poolOf(world, user).putMany(words.map((content, n) => ({ id: `${user} old ${n}`, content })));
    await forEach(words, (_, n) =>
      poolOf(world, otherThan(user)).put({ id: `${user} new ${n}`, content: 'newer', supersedes: `${user} old ${n}` }),
    );
  }),
  gone('deleted team entries', async (world, user, words) => {
    await teamOf(world, user).putMany(words.map((id) => ({ id, content: id })));
    await forEach(words, (word) => teamOf(world, user).delete(word));
  }),
  gone('expired pool entries', (world, user, words) =>
    poolOf(world, user).putMany(words.map((content) => ({ content, ttlMs: PASSING_MS }))),
  ),
];

export const recordPaths: readonly Path[] = [...privatePaths, ...sharedPaths];
