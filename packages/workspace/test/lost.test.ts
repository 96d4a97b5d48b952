import type { MemoryModel } from '@keepsake/core';
import { useDirectory } from '@keepsake/testing';
import { describe, expect, it } from 'vitest';
import { checkLayout, Paths } from '../src/files/layout.ts';
import { Ledger } from '../src/files/ledger.ts';
import { localDirectory, type Workspace, WorkspaceMemory } from '../src/index.ts';
import { scriptedModel } from './support/model.ts';
import { PLACES } from './support/places.ts';
import { said } from './support/segments.ts';

/* What was appended while something else went on. */

const directory = useDirectory();
const textOf = async (workspace: Workspace, path: string) => (await workspace.read(path))?.text ?? '';
const day = (n: number) => `2026-05-0${n}T00:00:00Z`;

describe.each(PLACES)('in %s', (_, openIn) => {
  it('an old conversation that goes on while the memory is written keeps what it has not taught yet', async () => {
    const workspace = openIn(directory.path);
    const generate = { maxRawMemoriesForConsolidation: 1, retainRemovedDays: 0 };
    const model = scriptedModel();
    const goingOn: MemoryModel = {
      async generate(question) {
        const isLast = question.prompt.includes('added: new');
        if (isLast) await memory.run({ conversationId: 'old' }).append(said('Later', 'Yes.', day(3)));
        return model.generate(question);
      },
    };
    const memory = new WorkspaceMemory({ workspace, model: goingOn, generate });
    await memory.run({ conversationId: 'old' }).append(said('Known by old', 'Yes.', day(1)));
    await memory.generate();
    await memory.run({ conversationId: 'new' }).append(said('Known by new', 'Yes.', day(2)));
    await memory.generate();
    expect((await memory.close()).extracted).toEqual(['old']);
    expect(await textOf(workspace, 'memories/MEMORY.md')).toContain('Later');
  });

  it('an old conversation whose extraction failed stays queued', async () => {
    const workspace = openIn(directory.path);
    const generate = { maxRawMemoriesForConsolidation: 1, retainRemovedDays: 0 };
    let isDown = false;
    const model = scriptedModel();
    const failing = {
      generate: async (question: Parameters<typeof model.generate>[0]) => {
        if (isDown && question.prompt.includes('Later')) throw new Error('down');
        return model.generate(question);
      },
    };
    const memory = new WorkspaceMemory({ workspace, model: failing, generate });
    await memory.run({ conversationId: 'old' }).append(said('Known by old', 'Yes.', day(1)));
    await memory.generate();
    await memory.run({ conversationId: 'new' }).append(said('Known by new', 'Yes.', day(2)));
    await memory.run({ conversationId: 'old' }).append(said('Later', 'Yes.', day(3)));
    isDown = true;
    expect((await memory.generate()).failed).toMatchObject([{ rolloutId: 'old' }]);
    isDown = false;
    expect((await memory.close()).extracted).toEqual(['old']);
    expect(await textOf(workspace, 'memories/MEMORY.md')).toContain('Later');
  });

  it('a conversation that begins anew after it was forgotten is not forgotten again, by one that was slow', async () => {
    const workspace = openIn(directory.path);
    const memory = new WorkspaceMemory({ workspace, model: scriptedModel() });
    await memory.run({ conversationId: 'a' }).append(said('First'));
    await memory.generate();
    // Another process has seen that it is forgotten, and stands still before it helps to remove the transcript.
    let isSeen = () => {};
    const seen = new Promise<void>((resolve) => {
      isSeen = resolve;
    });
    let goOn = () => {};
    const hold = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const slow: Workspace = {
      ...workspace,
      async delete(path, options) {
        if (path === 'sessions/a.jsonl') {
          isSeen();
          await hold;
        }
        return workspace.delete(path, options);
      },
    };
    const stuck = new WorkspaceMemory({ workspace: slow, model: scriptedModel() });
    const forgetting = stuck.forget('a');
    await seen;
    // What it has begun is finished by whoever comes next.
    await new Ledger(workspace, new Paths(checkLayout())).snapshot('memories');
    expect(await workspace.read('sessions/a.jsonl')).toBeUndefined();
    await memory.run({ conversationId: 'a' }).append(said('Begun anew'));
    goOn();
    await forgetting;
    expect(await textOf(workspace, 'sessions/a.jsonl')).toContain('Begun anew');
    await Promise.all([memory.close(), stuck.close()]);
  });

  it('updates by many runs at once are all there', async () => {
    const workspace = openIn(directory.path);
    const memories = Array.from({ length: 4 }, () => new WorkspaceMemory({ workspace, model: scriptedModel() }));
    await Promise.all(
      memories.flatMap((memory, who) =>
        [1, 2, 3].map((n) => memory.tools({ rolloutId: 'r' })[2]?.execute({ stale: '', now: `Fact ${who}-${n}` })),
      ),
    );
    expect((await textOf(workspace, 'memories/MEMORY.md')).match(/Fact \d-\d/g)).toHaveLength(12);
    await Promise.all(memories.map((memory) => memory.close()));
  });
});

it('close waits for runs that are just being kept', async () => {
  const memory = new WorkspaceMemory({ workspace: localDirectory(directory.path), model: scriptedModel() });
  const kept = memory.run({ conversationId: 'a' }).append(said('Just now'));
  expect((await memory.close()).extracted).toEqual(['a']);
  await kept;
});
