import type { JsonObject, MemoryModel } from '@keepsake/core';
import { recordWorkspace, type Workspace, WorkspaceMemory } from '@keepsake/workspace';
import { forEach, gone, kept, type Path } from './path.ts';
import type { World } from './world.ts';

type OpenWorkspace = (world: World, user: string) => Workspace;

const PLACES: readonly (readonly [where: string, open: OpenWorkspace])[] = [
  ['records', (world, user) => recordWorkspace(world.own(user).within(['workspace']))],
  ['a directory', (world, user) => world.workspaceOf(user)],
];

/** A model that notes what the user said, and merges all notes into the memory. */
const MODEL: MemoryModel = {
  async generate({ prompt, schema }) {
    const answer = 'actions' in ((schema?.properties ?? {}) as JsonObject) ? merged(prompt) : noted(prompt);
    return { text: JSON.stringify(answer), object: answer };
  },
};

function noted(prompt: string): JsonObject {
  const words = [...prompt.matchAll(/Remember (\w+)/g)].map(([, word]) => word as string);
  return {
    rolloutSummary: `What was said: ${words.join(', ')}`,
    rolloutSlug: 'notes',
    rawMemory: [
      '---',
      'description: what was said',
      'task: remember',
      'taskGroup: tests',
      'outcome: success',
      `keywords: ${words.join(', ')}`,
      '---',
      '# Task: remember',
      '## Reusable knowledge',
      ...words.map((word) => `- Known: ${word}`),
      '',
    ].join('\n'),
  };
}

function merged(prompt: string): JsonObject {
  const ids = ['added', 'updated'].flatMap((what) => {
    const listed = new RegExp(`^${what}: (.*)$`, 'm').exec(prompt)?.[1] ?? 'none';
    return listed === 'none' ? [] : listed.split(', ');
  });
  const words = [...new Set([...prompt.matchAll(/- Known: (\w+)/g)].map(([, word]) => word))];
  const bullets = words.map((word) => `- Known: ${word} [rollouts: ${ids[0]}]`).join('\n');
  const write = (path: string, text: string) => ({ tool: 'write', path, text, find: null, offset: null });
  return {
    actions: [
      write('MEMORY.md', `# Task group: tests\n\n${bullets}\n`),
      write('memory_summary.md', `## General tips\n\n${bullets}\n`),
    ],
    done: true,
  };
}

const said = (word: string) => ({
  input: `Remember ${word}`,
  generatedItems: [{ type: 'message', role: 'assistant', content: `Yes, ${word}` }],
  terminal: { state: 'completed' as const, hasFinalOutput: true },
});

/** Each path has a layout of its own, so that generations do not mix. */
async function within(workspace: Workspace, name: string, task: (memory: WorkspaceMemory) => Promise<void>) {
  const layout = { sessionsDir: `${name}/sessions`, memoriesDir: `${name}/memories` };
  await task(new WorkspaceMemory({ workspace, model: MODEL, layout }));
}

async function update(memory: WorkspaceMemory, stale: string, now: string): Promise<void> {
  const tool = memory.tools().find(({ name }) => name === 'memory_update');
  await tool?.execute({ stale, now });
}

const readAll = async (workspace: Workspace, folder: string) =>
  Promise.all((await workspace.list(folder)).map(async (path) => [path, (await workspace.read(path))?.text]));

function pathsIn([where, open]: (typeof PLACES)[number]): Path[] {
  return [
    kept(
      `transcripts and generated files in ${where}`,
      (world, user, words) =>
        within(open(world, user), 'generated', async (memory) => {
          const run = memory.run({ conversationId: 'chat' });
          await forEach(words, (word) => run.append(said(word)));
          await memory.close();
        }),
      (world, user) => readAll(open(world, user), 'generated'),
    ),
    kept(`names of conversations in ${where}`, (world, user, words) =>
      within(open(world, user), 'named', (memory) =>
        forEach(words, (conversationId) => memory.run({ conversationId }).append(said('nothing'))),
      ),
    ),
    kept(`live notes in ${where}`, (world, user, words) =>
      within(open(world, user), 'live', (memory) => forEach(words, (word) => update(memory, '', `Noted: ${word}`))),
    ),
    gone(`forgotten words in ${where}`, (world, user, words) =>
      within(open(world, user), 'words', async (memory) => {
        const run = memory.run({ conversationId: 'chat' });
        await forEach(words, (word) => run.append(said(word)));
        await memory.generate();
        await forEach(words, (word) => update(memory, word, ''));
      }),
    ),
    gone(`forgotten conversations in ${where}`, (world, user, words) =>
      within(open(world, user), 'forgotten', async (memory) => {
        await forEach(words, (word) => memory.run({ conversationId: 'chat' }).append(said(word)));
        await memory.generate();
        await memory.forget('chat');
      }),
    ),
    kept(`long files in ${where}`, async (world, user, words) => {
      await open(world, user).write('long.md', `${words.join('\n')}\n${'x'.repeat(300_000)}`);
    }),
    gone(`replaced files in ${where}`, async (world, user, words) => {
      await open(world, user).write('replaced.md', `${words.join('\n')}\n${'x'.repeat(300_000)}`);
      await open(world, user).write('replaced.md', 'something else');
    }),
  ];
}

export const workspacePaths: readonly Path[] = PLACES.flatMap(pathsIn);
