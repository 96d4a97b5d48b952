import { useDirectory } from '@keepsake/testing';
import { describe, expect, it } from 'vitest';
import { type Layout, localDirectory, WorkspaceMemory } from '../src/index.ts';
import { notes, scriptedModel } from './support/model.ts';
import { PLACES } from './support/places.ts';
import { said } from './support/segments.ts';

const directory = useDirectory();
const model = scriptedModel();

it.each<[string, Partial<Layout>]>([
  ['a folder outside the workspace', { memoriesDir: '../memories' }],
  ['an absolute folder', { sessionsDir: '/tmp/sessions' }],
  ['the same folder for both', { sessionsDir: 'memories' }],
  ['one folder inside the other', { sessionsDir: 'memories/sessions' }],
  ['a file in a folder', { summaryFile: 'a/b.md' }],
  ['the same file for both', { summaryFile: 'memory.md' }],
  ['a reserved file name', { memoryFile: 'raw_memories.md' }],
  ['an unknown field', { memories: 'x' } as never],
])('a layout with %s is refused', (_, layout) => {
  expect(() => new WorkspaceMemory({ workspace: localDirectory(directory.path), model, layout })).toThrow(
    expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
  );
});

it.each<[string, object, string]>([
  ['no workspace', { model }, 'workspace'],
  ['no model', { workspace: localDirectory('x') }, 'model'],
  ['an invalid workspace', { workspace: {}, model }, 'workspace'],
  ['an unknown option', { workspace: localDirectory('x'), model, stores: [] }, 'stores'],
  [
    'too many conversations',
    { workspace: localDirectory('x'), model, generate: { maxRawMemoriesForConsolidation: 4_097 } },
    '4096',
  ],
  [
    'no conversations',
    { workspace: localDirectory('x'), model, generate: { maxRawMemoriesForConsolidation: 0 } },
    '1 to',
  ],
  ['an unknown option of read', { workspace: localDirectory('x'), model, read: { live: true } }, 'live'],
])('options with %s are refused with the reason', (_, options, words) => {
  expect(() => new WorkspaceMemory(options as never)).toThrow(
    expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(words) }),
  );
});

describe.each(PLACES)('a workspace memory in %s', (_, openIn) => {
  it('refuses two layouts that share a folder, in the same process and in another one', async () => {
    const workspace = openIn(directory.path);
    const first = new WorkspaceMemory({ workspace, model });
    await first.run({ conversationId: 'a' }).append(said('Hello'));
    for (const layout of [
      { sessionsDir: 'other' },
      { memoriesDir: 'other' },
      { memoriesDir: 'memories/inner', sessionsDir: 'x' },
      { summaryFile: 'other.md' },
    ]) {
      expect(() => new WorkspaceMemory({ workspace, model, layout })).toThrow(/share some of their files/);
    }
    await first.close();
    for (const layout of [
      { sessionsDir: 'other' },
      { memoriesDir: 'other' },
      { memoriesDir: 'memories/inner', sessionsDir: 'x' },
      { summaryFile: 'other.md' },
    ]) {
      // As in another process: the first memory is known only from the workspace itself.
      const memory = new WorkspaceMemory({ workspace, model, layout });
      await expect(memory.run().append(said('Hello'))).rejects.toThrow(/share some of their files/);
      await memory.close().catch(() => {});
    }
  });

  it('refuses two open memories of one layout with different generate options', async () => {
    const workspace = openIn(directory.path);
    const first = new WorkspaceMemory({ workspace, model, generate: { extraPrompt: 'Customers' } });
    expect(() => new WorkspaceMemory({ workspace, model })).toThrow(/another generate configuration/);
    const same = new WorkspaceMemory({ workspace, model, generate: { extraPrompt: 'Customers' } });
    const reader = new WorkspaceMemory({ workspace, generate: null });
    await Promise.all([first.close(), same.close(), reader.close()]);
    await new WorkspaceMemory({ workspace, model }).close();
  });

  it('separates the memories of two layouts, and shares the memory of one layout', async () => {
    const workspace = openIn(directory.path);
    const layoutOf = (name: string) => ({ sessionsDir: `sessions/${name}`, memoriesDir: `memories/${name}` });
    for (const name of ['gtm', 'gtm-2']) {
      const memory = new WorkspaceMemory({ workspace, model, layout: layoutOf(name) });
      await memory.run({ conversationId: 'shared' }).append(said(`Known to ${name} alone`));
      await memory.close();
    }
    const read = async (name: string) => {
      const memory = new WorkspaceMemory({ workspace, model, layout: layoutOf(name) });
      const { instructions, tools } = await memory.read();
      const found = await tools[0]?.execute({ query: 'Known alone' });
      await memory.close();
      return instructions + JSON.stringify(found);
    };
    expect(await read('gtm')).toContain('Known to gtm alone');
    expect(await read('gtm')).not.toContain('gtm-2');
    expect(await read('gtm-2')).not.toContain('Known to gtm alone');
  });

  it('has the documented files', async () => {
    const workspace = openIn(directory.path);
    const memory = new WorkspaceMemory({ workspace, model });
    await memory.run({ conversationId: 'conv_1' }).append(said('Fix the bug'));
    await memory.close();
    expect((await workspace.list('')).filter((path) => !path.endsWith('/.keepsake.json'))).toEqual([
      'memories/MEMORY.md',
      'memories/memory_summary.md',
      'memories/phase_one_queue.json',
      'memories/phase_two_selection.json',
      'memories/raw_memories.md',
      'memories/raw_memories/conv~5f1.md',
      'memories/rollout_summaries/conv~5f1_a-task.md',
      'sessions/conv~5f1.jsonl',
    ]);
  });
});

describe.each(PLACES)('an existing memory in %s', (_, openIn) => {
  it.each<Partial<Layout>>([
    { sessionsDir: 'other' },
    { memoriesDir: 'other' },
    { summaryFile: 'other.md' },
    { memoryFile: 'OTHER.md' },
  ])('is not shown, changed or forgotten by another process of the layout %j', async (layout) => {
    const workspace = openIn(directory.path);
    const first = new WorkspaceMemory({ workspace, model });
    await first.run({ conversationId: 'a' }).append(said('Known to the first alone'));
    await first.close();
    const memory = new WorkspaceMemory({ workspace, layout, generate: null });
    const [search, open, update] = memory.tools();
    for (const call of [
      () => memory.read(),
      () => memory.conversations(),
      () => memory.forget('a'),
      () => search?.execute({ query: 'Known' }),
      () => open?.execute({ path: 'memory_summary.md' }),
      () => update?.execute({ stale: '', now: 'x' }),
    ]) {
      await expect((async () => call())()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
    await memory.close();
  });
});

it.each<[string, Partial<Layout>]>([
  ['folders that differ only in case', { sessionsDir: 'Memories' }],
  ['the folder of the lock', { sessionsDir: '.keepsake-lock' }],
  ['a folder inside the folder of the lock', { memoriesDir: '.keepsake-lock/memories' }],
  ['a file named like a folder', { memoryFile: 'skills' }],
  ['a file that differs from another one only in case', { memoryFile: 'Raw_Memories.md' }],
])('a layout with %s is refused', (_, layout) => {
  expect(() => new WorkspaceMemory({ workspace: localDirectory(directory.path), model, layout })).toThrow(
    expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
  );
});

it('two layouts whose folders differ only in case are refused', async () => {
  const workspace = localDirectory(directory.path);
  const first = new WorkspaceMemory({ workspace, model, layout: { memoriesDir: 'Team', sessionsDir: 'Runs' } });
  expect(() => new WorkspaceMemory({ workspace, model, layout: { memoriesDir: 'team', sessionsDir: 'runs' } })).toThrow(
    /share some of their files/,
  );
  await first.close();
});

it('folders of the maximum length leave enough room for the longest file names', async () => {
  const workspace = localDirectory(directory.path);
  const layout = { memoriesDir: 'm'.repeat(80), sessionsDir: 's'.repeat(80) };
  const long = scriptedModel({ extraction: () => notes('a task', ['fact'], 's'.repeat(80)) });
  const memory = new WorkspaceMemory({ workspace, model: long, layout });
  await memory.run({ conversationId: 'c'.repeat(500) }).append(said('Hello'));
  expect(await memory.close()).toMatchObject({ failed: [], consolidated: true });
});

it.each(['memories/.keepsake.json', 'memories/phase_one_queue.json', 'memories/phase_two_selection.json'])(
  'a damaged %s is reported by name',
  async (path) => {
    const workspace = localDirectory(directory.path);
    const run = async (id: string) => {
      const memory = new WorkspaceMemory({ workspace, model });
      await memory.run({ conversationId: id }).append(said('Hello'));
      const { consolidationError } = await memory.close();
      if (consolidationError !== undefined) throw consolidationError;
    };
    await run('a');
    for (const text of ['', '{"layout', 'null', '[]']) {
      await workspace.write(path, text);
      await expect(run('b'), text).rejects.toMatchObject({ code: 'CORRUPT', message: expect.stringContaining(path) });
    }
  },
);

it.each<[string, (memory: WorkspaceMemory) => unknown]>([
  ['run, a string', (memory) => memory.run('invoice-fix' as never)],
  ['run, null', (memory) => memory.run(null as never)],
  ['run, an object with an unknown field', (memory) => memory.run({ conversation: 'x' } as never)],
  ['read, an object with a number as an id', (memory) => memory.read({ rolloutId: 5 as never })],
  ['read, a string', (memory) => memory.read('x' as never)],
  ['tools, an object with a number as an id', (memory) => memory.tools({ rolloutId: 5 as never })],
  ['forget, undefined', (memory) => memory.forget(undefined as never)],
])('the argument of %s is refused', async (_, call) => {
  const memory = new WorkspaceMemory({ workspace: localDirectory(directory.path), model });
  await expect((async () => call(memory))()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  await memory.close();
});
