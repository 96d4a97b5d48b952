import { useDirectory } from '@keepsake/testing';
import { describe, expect, it } from 'vitest';
import { localDirectory, type Workspace, WorkspaceMemory } from '../src/index.ts';
import { scriptedModel } from './support/model.ts';
import { PLACES } from './support/places.ts';
import { said } from './support/segments.ts';

const directory = useDirectory();

/** Records which files are read. */
function watched(workspace: Workspace) {
  const read: string[] = [];
  const watching: Workspace = {
    ...workspace,
    read(path) {
      read.push(path);
      return workspace.read(path);
    },
  };
  return { read, watching };
}

describe.each(PLACES)('generate() in %s', (_, openIn) => {
  it('reads only transcripts that have grown, in other processes too', async () => {
    const workspace = openIn(directory.path);
    const memory = new WorkspaceMemory({ workspace, model: scriptedModel() });
    for (const id of ['a', 'b', 'c']) await memory.run({ conversationId: id }).append(said(`Said in ${id}`));
    await memory.close();

    const { read, watching } = watched(workspace);
    const other = new WorkspaceMemory({ workspace: watching, model: scriptedModel() });
    const isTranscript = (path: string) => path.startsWith('sessions/') && path.endsWith('.jsonl');
    expect(await other.generate()).toMatchObject({ extracted: [], consolidated: false, usage: { calls: 0 } });
    expect(read.filter(isTranscript)).toEqual([]);
    expect(read.filter((path) => path.includes('raw_memories'))).toEqual([]);

    await other.run({ conversationId: 'b' }).append(said('More in b'));
    expect((await other.generate()).extracted).toEqual(['b']);
    expect(read).toContain('sessions/b.jsonl');
    expect(read.filter((path) => isTranscript(path) && !path.endsWith('/b.jsonl'))).toEqual([]);
    await other.close();
  });

  it('notices a transcript that is forgotten and begins again', async () => {
    const workspace = openIn(directory.path);
    const memory = new WorkspaceMemory({ workspace, model: scriptedModel() });
    const once = () => memory.run({ conversationId: 'a' }).append(said('Said in a', 'Yes.', '2026-05-01T00:00:00Z'));
    await once();
    await memory.generate();
    await memory.forget('a');
    await once();
    expect((await memory.close()).extracted).toEqual(['a']);
  });
});

it('generate() with nothing new among 300 transcripts reads a few files', async () => {
  const { read, watching: workspace } = watched(localDirectory(directory.path));
  const ids = Array.from({ length: 300 }, (_, n) => `conversation-${n}`);
  const updatedAt = '2026-05-01T00:00:00.000Z';
  const memory = new WorkspaceMemory({
    workspace,
    model: scriptedModel(),
    generate: { maxRawMemoriesForConsolidation: 300 },
  });
  await memory.run({ conversationId: 'conversation-0' }).append(said('x'));
  const { text } = (await workspace.read('sessions/conversation-0.jsonl')) ?? { text: '' };
  for (const id of ids.slice(1)) await workspace.append(`sessions/${id}.jsonl`, text.trimEnd());
  const marks = await workspace.marks?.('sessions');
  const entry = (id: string) => ({
    rolloutId: id,
    status: 'extracted',
    attempts: 0,
    cursor: text.length,
    seen: text.length,
    updatedAt,
    slug: 'x',
    mark: marks?.get(`sessions/${id}.jsonl`),
  });
  const write = (name: string, value: unknown) => workspace.write(`memories/${name}`, JSON.stringify(value));
  await write('phase_one_queue.json', Object.fromEntries(ids.map((id) => [id, entry(id)])));
  await write('phase_two_selection.json', { selected: ids.toSorted().map((id) => ({ id, updatedAt })), removed: [] });
  read.length = 0;
  expect(await memory.generate()).toMatchObject({ extracted: [], consolidated: false, usage: { calls: 0 } });
  expect(read.length).toBeLessThan(10);
  await memory.close();
});
