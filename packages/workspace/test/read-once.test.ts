import { InMemoryStore } from '@keepsake/in-memory';
import { readsValuesOnce, useDirectory } from '@keepsake/testing';
import {
  localDirectory,
  recordWorkspace,
  userWorkspaces,
  WorkspaceMemory,
  type WorkspaceMemoryOptions,
} from '../src/index.ts';

/** A workspace and a model are passed by reference. */
const newWorkspace = () => Object.create(recordWorkspace(new InMemoryStore({ name: 'files' })));
const model = Object.create({ generate: async () => ({ text: '' }) });
const directory = useDirectory();
const memory = new WorkspaceMemory({ workspace: newWorkspace(), model });
const item = { role: 'user', content: [{ type: 'text', text: 'Hi' }] };
const segment = {
  ...{ input: [item], generatedItems: [item], interruptions: [{ id: 'a' }], finalOutput: { answer: ['Hi'] } },
  terminal: { state: 'failed', exceptionType: 'Error', exceptionMessage: 'down', hasFinalOutput: true },
  updatedAt: '2026-01-01T00:00:00.000Z',
};
const workspace = newWorkspace();
const options = {
  ...{ workspace, model },
  layout: { sessionsDir: 's', memoriesDir: 'm', summaryFile: 'a.md', memoryFile: 'b.md' },
  read: { liveUpdate: false, onError: () => {} },
  generate: { maxRawMemoriesForConsolidation: 5, extraPrompt: 'x', retainRemovedDays: 1, debounceMs: 60_000 },
};

/** What a memory with these options has: its layout, its tools and its files after a run. */
async function shownBy(given: WorkspaceMemoryOptions) {
  await using opened = new WorkspaceMemory(given);
  await opened.run({ conversationId: 'a' }).append(segment as never);
  const { tools } = await opened.read();
  return { layout: opened.layout, tools: tools.map(({ name }) => name), files: await workspace.list('s') };
}

/** The transcript after a segment was appended. */
async function transcriptAfter(given: never) {
  const workspace = newWorkspace();
  await new WorkspaceMemory({ workspace, model }).run({ conversationId: 'a' }).append(given);
  return (await workspace.read('sessions/a.jsonl'))?.text;
}

const users = userWorkspaces(newWorkspace);
const eraseWith = async (given: never) => (await users.eraseUser('alice', given)).dryRun;

readsValuesOnce([
  ['new WorkspaceMemory', shownBy, options],
  [
    'WorkspaceMemory.run',
    (names) => memory.run(names).rolloutId,
    { conversationId: 'a', sessionId: 'b', groupId: 'c' },
  ],
  ['Run.append', transcriptAfter, segment],
  ['WorkspaceMemory.read', (given) => memory.read(given).then(({ tools }) => tools.length), { rolloutId: 'a' }],
  ['WorkspaceMemory.tools', (given) => memory.tools(given).length, { rolloutId: 'a' }],
  ['WorkspaceMemory.generate', (given) => memory.generate(given), { onProgress: () => {} }],
  [
    'WorkspaceMemory.close',
    (given) => new WorkspaceMemory({ workspace: newWorkspace(), model }).close(given),
    { onProgress: () => {} },
  ],
  ['recordWorkspace().write', (given) => newWorkspace().write('a.md', 'x', given), { ifVersion: '1' }],
  ['recordWorkspace().delete', (given) => workspace.delete('a.md', given), { ifVersion: '1' }],
  ['localDirectory().write', (given) => localDirectory(directory.path).write('a.md', 'x', given), { ifVersion: '1' }],
  ['localDirectory().delete', (given) => localDirectory(directory.path).delete('a.md', given), { ifVersion: '1' }],
  ['userWorkspaces().eraseUser', eraseWith, { dryRun: true }],
]);
