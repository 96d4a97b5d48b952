import type { MemoryTool } from '@keepsake/core';
import { estimateTokens } from '@keepsake/internal';
import { useDirectory } from '@keepsake/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { localDirectory, type Workspace, WorkspaceMemory } from '../src/index.ts';
import { scriptedModel } from './support/model.ts';
import { PLACES } from './support/places.ts';
import { said } from './support/segments.ts';

const directory = useDirectory();

describe.each(PLACES)('reading in %s', (_, openIn) => {
  let workspace: Workspace;
  let memory: WorkspaceMemory;
  let tools: Map<string, MemoryTool>;
  beforeEach(async () => {
    workspace = openIn(directory.path);
    memory = new WorkspaceMemory({ workspace, model: scriptedModel() });
    await memory.run({ conversationId: 'a' }).append(said('The tests of the invoices run with make check'));
    await memory.run({ conversationId: 'b' }).append(said('The port of the server is 8080'));
    await memory.generate();
    tools = new Map((await memory.read({ rolloutId: 'c' })).tools.map((tool) => [tool.name, tool]));
    return async () => void (await memory.close());
  });
  const call = (name: string, input: object) => tools.get(name)?.execute(input as never) as Promise<never>;
  const index = async () => (await workspace.read('memories/MEMORY.md'))?.text;

  it('finds the best match by keywords, with its heading', async () => {
    const { passages } = await call('memory_search', { query: 'how do I run the invoices test' });
    expect(passages[0]).toEqual({
      path: 'MEMORY.md',
      under: 'Task group: tests',
      text: '- The tests of the invoices run with make check [rollouts: a]',
    });
    expect(await call('memory_search', { query: 'zebra' })).toEqual({ passages: [] });
  });

  it('opens summaries, but no files that are not meant for reading', async () => {
    expect(await call('memory_open', { path: 'rollout_summaries/a_a-task.md' })).toMatchObject({
      found: true,
      text: expect.stringContaining('What was done: The tests of the invoices'),
    });
    expect(await call('memory_open', { path: 'rollout_summaries/none.md' })).toMatchObject({ found: false });
    for (const path of [
      'raw_memories/a.md',
      'phase_one_queue.json',
      '../sessions/a.jsonl',
      '/etc/passwd',
      '.keepsake.json',
      'skills/../../x',
      '',
    ]) {
      await expect(call('memory_open', { path }), path).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
  });

  it('replaces, adds and removes bullets with memory_update', async () => {
    await call('memory_update', { stale: 'is 8080', now: 'The port of the server is 9090 [rollouts: evil]' });
    expect(await index()).toContain('- The port of the server is 9090 [rollouts: b, c]\n');
    await call('memory_update', { stale: '', now: '# Deploys\nneed an approval' });
    expect(await index()).toContain('# Learnt in a run\n- Deploys need an approval [rollouts: c]\n');
    await call('memory_update', { stale: 'make check', now: '' });
    expect(await index()).not.toContain('make check');
    expect(
      ((await call('memory_search', { query: 'port of the server' })) as { passages: object[] }).passages[0],
    ).toMatchObject({ text: expect.stringContaining('9090') });
    expect(await memory.forget('c')).toBe(true);
    expect(await index()).not.toContain('Deploys');
    expect(await index()).toContain('9090 [rollouts: b]');
  });

  it('refuses updates that match no text or several, are empty or are too long', async () => {
    for (const [stale, now] of [
      ['nowhere', 'x'],
      ['The', 'x'],
      ['', ''],
      ['is 8080', 'x'.repeat(4_000)],
    ]) {
      await expect(call('memory_update', { stale, now } as never)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
    await expect(call('memory_search', {})).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('never writes a secret', async () => {
    const token = `ghp_${'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'}`;
    await call('memory_update', { stale: '', now: `Log in with ${token}` });
    expect(await index()).toContain('Log in with [redacted]');
  });

  it('loses no concurrent updates', async () => {
    const numbers = Array.from({ length: 8 }, (_, n) => n);
    await Promise.all(numbers.map((n) => call('memory_update', { stale: '', now: `Number ${n} of many` })));
    for (const n of numbers) expect(await index()).toContain(`Number ${n} of many`);
  });
});

const openLocal = () => localDirectory(directory.path);

it('reading returns nothing and creates no file if there is no memory', async () => {
  const memory = new WorkspaceMemory({ workspace: openLocal(), generate: null });
  const { instructions, tools } = await memory.read();
  expect(instructions).toBe('');
  expect(tools.map(({ name }) => name)).toEqual(['memory_search', 'memory_open', 'memory_update']);
  expect(await tools[0]?.execute({ query: 'x' })).toEqual({ passages: [] });
  await openLocal().write('memories/memory_summary.md', ' \n');
  expect((await memory.read()).instructions).toBe('');
  await memory.close();
  expect(await openLocal().list('')).toEqual(['memories/memory_summary.md']);
});

it('there is no memory_update tool if liveUpdate is false', async () => {
  const memory = new WorkspaceMemory({ workspace: openLocal(), generate: null, read: { liveUpdate: false } });
  await openLocal().write('memories/memory_summary.md', '- x [rollouts: a]');
  const { instructions, tools } = await memory.read();
  expect(tools.map(({ name }) => name)).toEqual(['memory_search', 'memory_open']);
  expect(instructions).not.toContain('memory_update');
  await memory.close();
});

it('a summary is injected up to 15,000 tokens, in whole lines', async () => {
  const memory = new WorkspaceMemory({ workspace: openLocal(), generate: null });
  const line = `- ${'word '.repeat(50)}[rollouts: a]`;
  await openLocal().write('memories/memory_summary.md', `${line}\n`.repeat(1_000));
  const { instructions } = await memory.read();
  const summary = instructions.slice(instructions.indexOf('<memory_summary>'));
  expect(estimateTokens(summary)).toBeLessThanOrEqual(15_000);
  expect(estimateTokens(summary)).toBeGreaterThan(14_500);
  expect(summary).toMatch(/\[rollouts: a\]\n\(The rest of the summary is left out/);
  await memory.close();
});
