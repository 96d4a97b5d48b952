import type { MemoryModel } from '@keepsake/core';
import { estimateTokens } from '@keepsake/internal';
import { useDirectory } from '@keepsake/testing';
import { describe, expect, it } from 'vitest';
import { type GenerateConfig, localDirectory, WorkspaceMemory } from '../src/index.ts';
import { act, notes, scriptedModel, write } from './support/model.ts';
import { said } from './support/segments.ts';

/* What a generation may cost, in tokens and in time. */

const directory = useDirectory();
const open = (model: MemoryModel, generate: GenerateConfig = {}) =>
  new WorkspaceMemory({ workspace: localDirectory(directory.path), model, generate });
const longFact = `The log says ${'many different words '.repeat(600)}`;

async function fill(model: MemoryModel, count: number, generate: GenerateConfig = {}) {
  const memory = open(model, generate);
  for (let n = 0; n < count; n++) await memory.run({ conversationId: `c${n}` }).append(said(`Task ${n}`));
  return memory.close();
}

describe('a model that reads everything again and again', () => {
  const greedy = () =>
    scriptedModel({
      extraction: () => notes('a task', [longFact]),
      consolidation: () => ({
        actions: Array.from({ length: 40 }, () => act('read', { path: 'raw_memories.md' })),
        done: false,
      }),
    });

  it('stays within the budget of a consolidation and the length of a prompt', async () => {
    const model = greedy();
    const report = await fill(model, 30, { maxTurns: 1_000 });
    expect(report).toMatchObject({ consolidated: false, consolidationError: { code: 'TOO_LARGE' } });
    const asked = model.asked.filter(({ phase }) => phase === 'consolidation');
    const tokens = asked.map(({ system, prompt }) => estimateTokens(system) + estimateTokens(prompt));
    expect(tokens.length).toBeGreaterThan(3);
    expect(Math.max(...tokens)).toBeLessThan(150_000);
    expect(tokens.reduce((sum, each) => sum + each)).toBeLessThan(500_000);
  });

  it('respects smaller limits', async () => {
    const model = greedy();
    await fill(model, 3, { maxTurns: 1_000, maxConsolidationTokens: 60_000, maxPromptTokens: 8_000 });
    const asked = model.asked.filter(({ phase }) => phase === 'consolidation');
    const tokens = asked.map(({ system, prompt }) => estimateTokens(system) + estimateTokens(prompt));
    expect(Math.max(...tokens)).toBeLessThan(8_000);
    expect(tokens.reduce((sum, each) => sum + each)).toBeLessThan(60_000);
    expect(asked.at(-1)?.prompt).toMatch(/cut here[\s\S]*About \d+ tokens are left/);
  });

  it('is given up after five consolidations, until a conversation is added or the limits change', async () => {
    const model = greedy();
    const limits = { maxConsolidationTokens: 30_000 };
    await fill(model, 2, limits);
    for (let time = 0; time < 6; time++) await fill(model, 0, limits);
    const turns = () => model.asked.filter(({ prompt }) => prompt.includes('This is answer 1 of')).length;
    expect(turns()).toBe(5);
    expect((await fill(model, 0, limits)).consolidationError?.message).toContain('failed 5 times');
    await fill(model, 0, { maxConsolidationTokens: 31_000 });
    expect(turns()).toBe(6);
    const memory = open(model, limits);
    await memory.run({ conversationId: 'more' }).append(said('More'));
    await memory.close();
    expect(turns()).toBe(7);
    const working = open(scriptedModel(), limits);
    await working.run({ conversationId: 'last' }).append(said('Last'));
    expect(await working.close()).toMatchObject({ consolidated: true });
  });
});

it('a model that works over many answers sees its newest results and knows that older ones are left out', async () => {
  const model = scriptedModel({
    extraction: () => notes('a task', [longFact]),
    consolidation: (_, call) =>
      call < 8
        ? { actions: [act('read', { path: 'raw_memories.md' }), act('search', { text: `call ${call}` })], done: false }
        : {
            actions: [write('MEMORY.md', '- x [rollouts: c0]'), write('memory_summary.md', '- x [rollouts: c0]')],
            done: true,
          },
  });
  expect(await fill(model, 2, { maxPromptTokens: 20_000 })).toMatchObject({ consolidated: true });
  const last = model.asked.at(-1)?.prompt ?? '';
  expect(last).toContain('7.2 search');
  expect(last).not.toContain('1.1 read');
  expect(last).toContain('Earlier results are left out');
});

it('long notes are cut', async () => {
  const model = scriptedModel({
    extraction: () => ({
      ...notes(
        'a task',
        Array.from({ length: 200 }, (_, n) => `Fact ${n}: ${longFact}`),
      ),
      rolloutSummary: longFact.repeat(100),
    }),
    consolidation: () => ({
      actions: [write('MEMORY.md', '- x [rollouts: c0]'), write('memory_summary.md', '- x [rollouts: c0]')],
      done: true,
    }),
  });
  expect(await fill(model, 1)).toMatchObject({ extracted: ['c0'], consolidated: true });
  const workspace = localDirectory(directory.path);
  const raw = (await workspace.read('memories/raw_memories/c0.md'))?.text ?? '';
  expect(raw).toContain('Fact 0');
  expect(raw).toMatch(/\(cut, since it is too long\)\n$/);
  expect(estimateTokens(raw)).toBeLessThan(5_200);
  const summary = (await workspace.read('memories/rollout_summaries/c0_a-task.md'))?.text ?? '';
  expect(estimateTokens(summary)).toBeLessThan(8_200);
});

describe('a model that hangs and ignores its signal', () => {
  const hanging: MemoryModel = { generate: () => new Promise(() => {}) };

  it('does not block close() or other processes, and the conversations stay queued', async () => {
    const memory = open(hanging, { modelTimeoutMs: 300 });
    for (const id of ['a', 'b', 'c']) await memory.run({ conversationId: id }).append(said(id));
    const closing = memory.close();
    // Another process that generates waits for the lease.
    const other = new WorkspaceMemory({
      workspace: { ...localDirectory(directory.path), id: 'seen by another process' },
      model: scriptedModel(),
    });
    const report = await closing;
    expect(report.failed.map(({ error }) => error.code)).toEqual(['TIMEOUT', 'TIMEOUT', 'TIMEOUT']);
    expect(report.usage.calls).toBe(1);
    expect((await other.close()).extracted.toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('ends when the caller aborts', async () => {
    const memory = open(hanging);
    await memory.run({ conversationId: 'a' }).append(said('a'));
    await expect(memory.generate({ signal: AbortSignal.timeout(100) })).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(memory.close({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('leaves the memory unchanged if it hangs in a consolidation', async () => {
    const model = scriptedModel({ consolidation: () => new Promise(() => {}) });
    const report = await fill(model, 1, { modelTimeoutMs: 200 });
    expect(report).toMatchObject({ extracted: ['c0'], consolidated: false, consolidationError: { code: 'TIMEOUT' } });
  });
});
