import { join } from 'node:path';
import type { MemoryTool } from '@keepsake/core';
import { useDirectory } from '@keepsake/testing';
import { step } from '@keepsake/testing/share';
import { describe, expect, it, vi } from 'vitest';
import { type Workspace, WorkspaceMemory } from '../src/index.ts';
import { notes, scriptedModel, write } from './support/model.ts';
import { PLACES } from './support/places.ts';
import { said } from './support/segments.ts';

/* What runs remember, correct and forget reaches every file and stays so. */

const directory = useDirectory();

describe.each(PLACES)('memory_update in %s', (_, openIn) => {
  const updateOf = (tools: readonly MemoryTool[], input: { readonly stale: string; readonly now: string }) =>
    tools.find(({ name }) => name === 'memory_update')?.execute(input);
  const update = async (workspace: Workspace, stale: string, now: string, rolloutId?: string) => {
    const memory = new WorkspaceMemory({ workspace, generate: null });
    await updateOf((await memory.read({ rolloutId })).tools, { stale, now });
    await memory.close();
  };
  const generate = async (workspace: Workspace, conversations: Record<string, string>, model = scriptedModel()) => {
    const memory = new WorkspaceMemory({ workspace, model });
    for (const [conversationId, text] of Object.entries(conversations))
      await memory.run({ conversationId }).append(said(text, `You said: ${text}`));
    const report = await memory.close();
    expect(report).toMatchObject({ failed: [] });
    expect(report.consolidationError).toBeUndefined();
    return report;
  };
  const instructions = async (workspace: Workspace) => {
    const memory = new WorkspaceMemory({ workspace, generate: null });
    const { instructions: text } = await memory.read();
    await memory.close();
    return text;
  };
  const filesWith = async (workspace: Workspace, words: RegExp) => {
    const found: string[] = [];
    for (const path of await workspace.list(''))
      if (words.test(path) || words.test((await workspace.read(path))?.text ?? '')) found.push(path);
    return found;
  };

  it('forgets words in every file, and they stay forgotten after two more generations', async () => {
    const workspace = openIn(directory.path);
    const slugged = scriptedModel({
      extraction: ({ prompt }) =>
        prompt.includes('Elm')
          ? notes('find 12 Elm Street', ['The user lives at 12 Elm Street', 'They have a dog'], 'to-elm-street')
          : notes('something', ['The port is 8080']),
    });
    await generate(workspace, { a: 'I live at 12 Elm Street', b: 'The port is 8080' }, slugged);
    // Not extracted when it is forgotten.
    const pending = new WorkspaceMemory({ workspace, model: scriptedModel() });
    await pending
      .run({ conversationId: 'd' })
      .append(said('Send it to 12 ELM  street. The host is up', 'To elm\nstreet'));
    expect((await filesWith(workspace, /elm[\s-]|ELM/i)).length).toBeGreaterThan(5);

    await update(workspace, 'Elm Street', '', 'c');
    expect(await filesWith(workspace, /elm/i)).toEqual([]);
    // The run that was asked to forget is recorded after it, and so are its summaries.
    await generate(workspace, { c: 'Forget Elm Street, please', e: 'The queue is called jobs' });
    await generate(workspace, { a: 'Thanks, the dog is called Rex', f: 'The logs are in /var/log' });
    expect(await filesWith(workspace, /elm/i)).toEqual([]);
    for (const kept of ['They have a dog', 'The port is 8080', 'The host is up', 'jobs', 'Rex'])
      expect(await filesWith(workspace, new RegExp(kept)), kept).toContain('memories/MEMORY.md');
    await pending.close();
  });

  it('forgets no more than the words, in conversations that continue', async () => {
    const workspace = openIn(directory.path);
    const memory = new WorkspaceMemory({ workspace, model: scriptedModel() });
    const run = memory.run({ conversationId: 'a' });
    await run.append(said('I live in Elm Street'));
    await run.append(said('The port is 8080'));
    await updateOf(memory.tools({ rolloutId: 'a' }), { stale: 'elm street', now: '' });
    await run.append(said('The host is up'));
    expect((await memory.close()).extracted).toEqual(['a']);
    const again = new WorkspaceMemory({ workspace, model: scriptedModel() });
    expect(await again.conversations()).toMatchObject([{ rolloutId: 'a', status: 'extracted' }]);
    await again.run({ conversationId: 'a' }).append(said('And the last'));
    expect((await again.generate()).extracted).toEqual(['a']);
    for (const each of ['The port is 8080', 'The host is up', 'And the last'])
      expect((await workspace.read('memories/raw_memories/a.md'))?.text.split(`- ${each}\n`), each).toHaveLength(2);
    expect(await again.forget('a')).toBe(true);
    expect(await workspace.list('sessions')).toEqual(['sessions/.keepsake.json']);
    await again.close();
  });

  it('keeps words that are added again after they were forgotten', async () => {
    const workspace = openIn(directory.path);
    await generate(workspace, { a: 'I live in Elm Street' });
    await update(workspace, 'Elm Street', '');
    await update(workspace, '', 'The user lives in Elm Street again');
    await generate(workspace, { b: 'I am back in Elm Street' });
    expect(await instructions(workspace)).toContain('I am back in Elm Street');
  });

  it('keeps no trace of what was forgotten after a day', async ({ onTestFinished }) => {
    const workspace = openIn(directory.path);
    // In the past, because a store in files never goes back in time.
    vi.useFakeTimers({ now: Date.now() - 25 * 60 * 60 * 1_000, toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    await generate(workspace, { a: 'I live in Elm Street' });
    await update(workspace, 'Elm Street', '');
    expect(await filesWith(workspace, /digest/)).toContain('memories/forgotten.json');
    vi.useRealTimers();
    await generate(workspace, { b: 'The port is 8080' });
    expect(await workspace.read('memories/forgotten.json')).toBeUndefined();
    await generate(workspace, { c: 'We moved to Elm Street' });
    expect(await instructions(workspace)).toContain('We moved to Elm Street');
  });

  it('corrects a fact in every file that runs and generations read', async () => {
    const workspace = openIn(directory.path);
    await generate(workspace, { a: 'The port is 8080', b: 'The port is 8080 for the proxy' });
    await update(workspace, 'The port is 8080 [rollouts: a]', 'The port is 9090');
    expect(await instructions(workspace)).toContain('The port is 9090 [rollouts: a, ~live]');
    for (const name of ['MEMORY.md', 'memory_summary.md', 'raw_memories.md', 'raw_memories/a.md'])
      expect((await workspace.read(`memories/${name}`))?.text, name).toContain('- The port is 9090');
    expect((await workspace.read('memories/raw_memories/a.md'))?.text).not.toContain('- The port is 8080');
    expect((await workspace.read('memories/raw_memories/b.md'))?.text).toContain('- The port is 8080 for the proxy');
  });

  it('in a new workspace reaches the instructions of the next run, and survives a model that drops it', async () => {
    const workspace = openIn(directory.path);
    for (let time = 0; time < 2; time++) await update(workspace, '', 'Answers must be in French', 'a');
    expect(await instructions(workspace)).toContain('- Answers must be in French [rollouts: a]');
    const dropping = scriptedModel({
      consolidation: () => ({
        actions: [
          write('MEMORY.md', '# T\n- The port is 8080 [rollouts: b]\n'),
          write('memory_summary.md', '## Index\n- The port is 8080 [rollouts: b]\n'),
        ],
        done: true,
      }),
    });
    await generate(workspace, { b: 'The port is 8080' }, dropping);
    await generate(workspace, { b: 'Thanks', c: 'And hello' }, dropping);
    expect(await instructions(workspace)).toContain('- Answers must be in French [rollouts: a]');
    expect((await workspace.read('memories/MEMORY.md'))?.text.match(/in French/g)).toHaveLength(1);
    expect(dropping.asked.at(-1)?.prompt).toContain('- Answers must be in French');
    await update(workspace, 'in French', '');
    await generate(workspace, { d: 'One more' }, dropping);
    expect(await filesWith(workspace, /in French/)).toEqual([]);
    expect(await workspace.read('memories/raw_memories/~live.md')).toBeUndefined();
  });

  it('refuses to forget words that stand in many bullets, and words that say nothing', async () => {
    const workspace = openIn(directory.path);
    await generate(
      workspace,
      Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`c${n}`, `The port ${n} is up`])),
    );
    for (const words of ['The port', 'is', '...'])
      await expect(update(workspace, words, ''), words).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(await instructions(workspace)).toContain('The port 3 is up');
  });

  it('loses no segment that is appended while words are forgotten', async () => {
    const workspace = openIn(directory.path);
    const memories = [1, 2].map(() => new WorkspaceMemory({ workspace, model: scriptedModel() }));
    const append = (n: number) =>
      memories[n % 2]?.run({ conversationId: `c${n % 3}` }).append(said(`Number ${n} of Elm Street.`));
    for (let n = 0; n < 10; n++) await append(n);
    const forgotten = updateOf(memories[0]?.tools() ?? [], { stale: 'Elm Street', now: '' });
    await Promise.all([forgotten, ...Array.from({ length: 40 }, (_, n) => append(n + 10))]);
    await updateOf(memories[1]?.tools() ?? [], { stale: 'Elm Street', now: '' });
    expect(await filesWith(workspace, /elm/i)).toEqual([]);
    expect((await memories[0]?.close())?.extracted.toSorted()).toEqual(['c0', 'c1', 'c2']);
    const notes = (await workspace.read('memories/raw_memories.md'))?.text ?? '';
    const numbers = [...notes.matchAll(/^- Number (\d+) of/gm)].map(([, n]) => Number(n));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, n) => n));
    await memories[1]?.close();
  });

  it('forgets all or nothing, wherever its process is killed', async () => {
    const outcomes = new Set<boolean>();
    for (let writes = 0; writes < 12; writes += step(2)) {
      const workspace = openIn(join(directory.path, String(writes)));
      const memory = new WorkspaceMemory({ workspace, model: scriptedModel() });
      const run = memory.run({ conversationId: 'a' });
      for (const text of ['I live in Elm Street', 'The port is 8080']) await run.append(said(text));
      await memory.generate();
      await run.append(said('In Elm Street, as I said'));
      let left = writes;
      const count = async <T>(write: () => Promise<T>) => {
        if (left-- <= 0) throw new Error('killed');
        return write();
      };
      const dying: Workspace = {
        ...workspace,
        id: `dying ${writes}`,
        write: (...args) => count(() => workspace.write(...args)),
        delete: (...args) => count(() => workspace.delete(...args)),
      };
      await update(dying, 'Elm Street', '').catch(() => {});
      // The next process completes what was begun.
      const report = await memory.generate();
      expect(report).toMatchObject({ extracted: ['a'], failed: [], consolidated: true });
      const found = await filesWith(workspace, /elm street/i);
      outcomes.add(found.length > 0);
      if (found.length > 0) expect(found).toEqual(expect.arrayContaining(ALL_WITH_WORDS));
      const raw = (await workspace.read('memories/raw_memories/a.md'))?.text ?? '';
      expect(raw.match(/^- /gm)).toHaveLength(found.length > 0 ? 3 : 2);
      await memory.close();
    }
    expect(outcomes).toEqual(new Set([true, false]));
  });
});

const ALL_WITH_WORDS = ['MEMORY.md', 'memory_summary.md', 'raw_memories.md', 'raw_memories/a.md']
  .map((name) => `memories/${name}`)
  .concat('sessions/a.jsonl');
