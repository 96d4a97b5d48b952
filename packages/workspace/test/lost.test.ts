import type { MemoryModel } from '@keepsake/core';
import { useDirectory } from '@keepsake/testing';
import { describe, expect, it } from 'vitest';
import { checkLayout, Paths } from '../src/files/layout.ts';
import { Ledger } from '../src/files/ledger.ts';
import { localDirectory, type Workspace, WorkspaceMemory } from '../src/index.ts';
import { scriptedModel } from './support/model.ts';
import { PLACES } from './support/places.ts';
import { said } from './support/segments.ts';

/* Appends that happen during other changes must not be lost. */

const directory = useDirectory();
const textOf = async (workspace: Workspace, path: string) => (await workspace.read(path))?.text ?? '';
const day = (n: number) => `2026-05-0${n}T00:00:00Z`;

describe.each(PLACES)('appending in %s', (_, openIn) => {
  it('an old conversation that continues during a generation is extracted by the next one', async () => {
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

  it('an old conversation stays queued if its extraction failed', async () => {
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

  it('a forgotten conversation that starts again is not deleted by a slow forget()', async () => {
    const workspace = openIn(directory.path);
    const memory = new WorkspaceMemory({ workspace, model: scriptedModel() });
    await memory.run({ conversationId: 'a' }).append(said('First'));
    await memory.generate();
    // Another process is forgetting the conversation, and pauses before it deletes the transcript.
    let isSeen = () => {};
    const seen = new Promise<void>((resolve) => {
      isSeen = resolve;
    });
    let resume = () => {};
    const hold = new Promise<void>((resolve) => {
      resume = resolve;
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
    // The next reader finishes the pending change.
    await new Ledger(workspace, new Paths(checkLayout())).snapshot('memories');
    expect(await workspace.read('sessions/a.jsonl')).toBeUndefined();
    await memory.run({ conversationId: 'a' }).append(said('Begun again'));
    resume();
    await forgetting;
    expect(await textOf(workspace, 'sessions/a.jsonl')).toContain('Begun again');
    await Promise.all([memory.close(), stuck.close()]);
  });

  it('concurrent updates by many runs are all kept', async () => {
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

it('close waits for runs that are being appended', async () => {
  const memory = new WorkspaceMemory({ workspace: localDirectory(directory.path), model: scriptedModel() });
  const kept = memory.run({ conversationId: 'a' }).append(said('Just now'));
  expect((await memory.close()).extracted).toEqual(['a']);
  await kept;
});

describe('a run that has begun', () => {
  const open = () => new WorkspaceMemory({ workspace: localDirectory(directory.path), model: scriptedModel() });

  it('is appended by close(), and is not asked for if it was appended before', async () => {
    const memory = open();
    const finished: string[] = [];
    const begin = (conversationId: string) => {
      const run = memory.run({ conversationId });
      return run.begin(async () => {
        finished.push(conversationId);
        await new Promise((resolve) => setTimeout(resolve, 50));
        await run.append(said(`Said in ${conversationId}`));
      });
    };
    begin('a');
    const end = begin('b');
    begin('c');
    end();
    const report = await memory.close();
    expect(finished).toEqual(['a', 'c']);
    expect(report.extracted.toSorted()).toEqual(['a', 'c']);
    expect(() => begin('d')).toThrow(expect.objectContaining({ code: 'CLOSED' }));
    await expect(memory.run().append(said('Too late'))).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('that never ends or fails does not keep close() from ending', async () => {
    const memory = open();
    const run = memory.run({ conversationId: 'a' });
    await run.append(said('Before'));
    run.begin(() => new Promise(() => {}));
    run.begin(() => {
      throw new Error('no');
    });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 200);
    await expect(memory.close({ signal: controller.signal })).rejects.toMatchObject({ code: 'ABORTED' });
  });
});
