import { KeepsakeMemoryTool, KeepsakeSessionStore } from '@keepsake/claude';
import { KeepsakeSaver, KeepsakeStore } from '@keepsake/langgraph';
import { KeepsakeStorage } from '@keepsake/strands';
import { recordWorkspace } from '@keepsake/workspace';
import { emptyCheckpoint, uuid6 } from '@langchain/langgraph-checkpoint';
import { collected } from '../support.ts';
import { forEach, gone, kept, type Path } from './path.ts';
import type { World } from './world.ts';

/* Bridges that store data of their own. The others store through managers, sessions and workspaces. */

const saverOf = (world: World, user: string) => new KeepsakeSaver({ store: world.own(user) });
const itemsOf = (world: World, user: string) => new KeepsakeStore({ store: world.own(user).within(['items']) });
const storageOf = (world: World, user: string) => new KeepsakeStorage({ store: world.own(user) });
const memoryToolOf = (world: World, user: string) =>
  new KeepsakeMemoryTool({ workspace: recordWorkspace(world.own(user).within(['claude memory'])) });
const transcriptsOf = (world: World, user: string) =>
  new KeepsakeSessionStore({
    store: world.own(user),
    foldSessionSummary: (_, { sessionId }, entries, { mtime }) => ({
      sessionId,
      mtime,
      data: { last: entries.at(-1) },
    }),
  });

const META = { source: 'loop' as const, step: 0, parents: {} };
const thread = (thread_id: string) => ({ configurable: { thread_id } });

async function putCheckpoint(saver: KeepsakeSaver, threadId: string, values: Record<string, unknown>, n = 0) {
  const versions = Object.fromEntries(Object.keys(values).map((channel) => [channel, n + 1]));
  const checkpoint = { ...emptyCheckpoint(), id: uuid6(n), channel_values: values, channel_versions: versions };
  return saver.put(thread(threadId), checkpoint, META, versions);
}

const langgraphPaths: readonly Path[] = [
  kept(
    'checkpoints of LangGraph',
    (world, user, words) =>
      forEach(words, async (word, n) => {
        const saver = saverOf(world, user);
        const config = await putCheckpoint(saver, 'values', { small: word, big: word + 'x'.repeat(70_000) }, n);
        await saver.putWrites(config, [['small', word]], `task ${word}`);
      }),
    (world, user) => collected(saverOf(world, user).list(thread('values'))),
  ),
  kept('ids of threads of LangGraph', (world, user, words) =>
    forEach(words, (word) => putCheckpoint(saverOf(world, user), word, { small: 1 })),
  ),
  gone('deleted threads of LangGraph', async (world, user, words) => {
    await forEach(words, (word, n) => putCheckpoint(saverOf(world, user), 'deleted', { [word]: word }, n));
    await saverOf(world, user).deleteThread('deleted');
  }),
  kept(
    'items of LangGraph',
    (world, user, words) =>
      forEach(words, (word) => itemsOf(world, user).put(['notes', word], word, { text: word, [word]: 1 })),
    (world, user) => itemsOf(world, user).search(['notes'], { limit: 100 }),
  ),
  gone('deleted and replaced items of LangGraph', (world, user, words) =>
    forEach(words, async (word, n) => {
      const items = itemsOf(world, user);
      await items.put(['old'], `replaced ${n}`, { text: word });
      await items.put(['old'], `replaced ${n}`, { text: 'something else' });
      await items.put(['old'], word, { text: word });
      await items.delete(['old'], word);
    }),
  ),
];

const entry = (text: string, uuid: string) => ({ type: 'user', uuid, message: { role: 'user', content: text } });

const claudePaths: readonly Path[] = [
  kept(
    'transcripts of Claude',
    async (world, user, words) => {
      const key = { projectKey: 'app', sessionId: 'chat' };
      const entries = words.map((word) => entry(word, word));
      await transcriptsOf(world, user).append(key, entries);
      await transcriptsOf(world, user).append({ ...key, subpath: 'subagents/one' }, entries);
    },
    (world, user) => transcriptsOf(world, user).load({ projectKey: 'app', sessionId: 'chat' }),
  ),
  kept('projects and sessions of Claude', (world, user, words) =>
    forEach(words, (word) =>
      transcriptsOf(world, user).append({ projectKey: word, sessionId: word }, [entry('hello', word)]),
    ),
  ),
  gone('replaced and deleted entries of Claude', async (world, user, words) => {
    const key = { projectKey: 'app', sessionId: 'replaced' };
    await transcriptsOf(world, user).append(
      key,
      words.map((word, n) => entry(word, `entry ${n}`)),
    );
    await transcriptsOf(world, user).append(
      key,
      words.map((_, n) => entry('something else', `entry ${n}`)),
    );
    const other = { projectKey: 'app', sessionId: 'deleted' };
    await transcriptsOf(world, user).append(
      other,
      words.map((word) => entry(word, word)),
    );
    await transcriptsOf(world, user).delete(other);
  }),
  kept(
    'files of the memory tool of Claude',
    (world, user, words) =>
      forEach(words, (word) =>
        memoryToolOf(world, user).create({ path: `/memories/${word}.md`, file_text: `About ${word}` }),
      ),
    (world, user) => memoryToolOf(world, user).view({ path: '/memories' }),
  ),
  gone('edited, renamed and deleted files of the memory tool of Claude', (world, user, words) =>
    forEach(words, async (word, n) => {
      const tool = memoryToolOf(world, user);
      await tool.create({ path: `/memories/${word}-old.md`, file_text: `About ${word}` });
      await tool.str_replace({ path: `/memories/${word}-old.md`, old_str: word, new_str: 'nothing' });
      await tool.rename({ old_path: `/memories/${word}-old.md`, new_path: `/memories/renamed-${n}.md` });
      await tool.create({ path: `/memories/${word}-deleted.md`, file_text: word });
      await tool.delete({ path: `/memories/${word}-deleted.md` });
    }),
  ),
];

const bytes = (text: string) => new TextEncoder().encode(text);

const strandsPaths: readonly Path[] = [
  kept(
    'keys and values of Strands',
    (world, user, words) => forEach(words, (word) => storageOf(world, user).write(`kept/${word}`, bytes(word))),
    (world, user) => storageOf(world, user).list('kept/'),
  ),
  gone('replaced and deleted values of Strands', (world, user, words) =>
    forEach(words, async (word, n) => {
      await storageOf(world, user).write(`replaced/${n}`, bytes(word));
      await storageOf(world, user).write(`replaced/${n}`, bytes('something else'));
      await storageOf(world, user).write(`deleted/${word}`, bytes(word));
      await storageOf(world, user).delete(`deleted/${word}`);
    }),
  ),
];

export const bridgePaths: readonly Path[] = [...langgraphPaths, ...claudePaths, ...strandsPaths];
