import { MemoryError, type MemoryModel } from '@keepsake/core';
import { useDirectory } from '@keepsake/testing';
import { describe, expect, it } from 'vitest';
import { type GenerateConfig, localDirectory, type Workspace, WorkspaceMemory } from '../src/index.ts';
import { act, NOTHING, notes, scriptedModel, write } from './support/model.ts';
import { PLACES } from './support/places.ts';
import { said } from './support/segments.ts';

const directory = useDirectory();
const textOf = async (workspace: Workspace, path: string) => (await workspace.read(path))?.text ?? '';
const queueOf = async (workspace: Workspace) => JSON.parse(await textOf(workspace, 'memories/phase_one_queue.json'));

/** Appends one segment to each conversation, generates the memory and closes it. */
async function distil(
  workspace: Workspace,
  model: ReturnType<typeof scriptedModel>,
  conversations: Record<string, string>,
  generate: GenerateConfig = {},
) {
  const memory = new WorkspaceMemory({ workspace, model, generate });
  // Each a second after the one before: runs of the same millisecond have no order.
  let at = Date.now() - 60_000;
  for (const [conversationId, text] of Object.entries(conversations)) {
    at += 1_000;
    await memory.run({ conversationId }).append(said(text, 'Done.', new Date(at).toISOString()));
  }
  return memory.close();
}

describe.each(PLACES)('generation in %s', (_, openIn) => {
  it('gives the next run the lessons of earlier runs', async () => {
    const workspace = openIn(directory.path);
    const model = scriptedModel();
    const report = await distil(workspace, model, { a: 'Tests run with make check', b: 'The port is 8080' });
    expect(report).toMatchObject({
      extracted: ['a', 'b'],
      empty: [],
      failed: [],
      consolidated: true,
      usage: { calls: 3 },
    });
    const memory = new WorkspaceMemory({ workspace, generate: null });
    const { instructions } = await memory.read();
    expect(instructions).toContain('- Tests run with make check [rollouts: a]');
    expect(instructions).toContain('- The port is 8080 [rollouts: b]');
    expect(await textOf(workspace, 'memories/raw_memories.md')).toMatch(/task: The port is 8080[\s\S]*task: Tests run/);
    expect(await textOf(workspace, 'memories/rollout_summaries/a_a-task.md')).toContain(
      'What was done: Tests run with make check',
    );
    await memory.close();
  });

  it('calls no model if nothing is new', async () => {
    const workspace = openIn(directory.path);
    const model = scriptedModel();
    await distil(workspace, model, { a: 'Tests run with make check' });
    const calls = model.asked.length;
    expect(await distil(workspace, model, {})).toMatchObject({
      extracted: [],
      consolidated: false,
      usage: { calls: 0 },
    });
    expect(model.asked).toHaveLength(calls);
  });

  it('extracts only the new part of a conversation that continued, together with its notes', async () => {
    const workspace = openIn(directory.path);
    const model = scriptedModel();
    await distil(workspace, model, { a: 'The port is 8080' });
    await distil(workspace, model, { a: 'No, it is 9090' });
    const [first, , second] = model.asked;
    expect(first?.prompt).toContain('The port is 8080');
    expect(second?.system).toContain('This conversation went on.');
    expect(second?.prompt).toMatch(/<earlier_raw_memory>[\s\S]*The port is 8080[\s\S]*<new_transcript>/);
    expect(second?.prompt.slice(second.prompt.indexOf('<new_transcript>'))).not.toContain('The port is 8080');
    expect(await textOf(workspace, 'memories/raw_memories/a.md')).toContain('No, it is 9090');
    const summary = await textOf(workspace, 'memories/rollout_summaries/a_a-task.md');
    expect(summary).toMatch(/What was done: The port is 8080\n\n## Until 20[\s\S]*What was done: No, it is 9090/);
  });

  it('ignores a torn line of a killed process and reads the rest', async () => {
    const workspace = openIn(directory.path);
    const memory = new WorkspaceMemory({ workspace, model: scriptedModel() });
    await memory.run({ conversationId: 'a' }).append(said('Before'));
    await workspace.append('sessions/a.jsonl', '{"updatedAt":"2026-05');
    await memory.run({ conversationId: 'a' }).append(said('After'));
    expect((await memory.close()).extracted).toEqual(['a']);
    expect(await textOf(workspace, 'memories/raw_memories/a.md')).toMatch(/Before[\s\S]*After/);
  });

  it('forgets a conversation and everything that is based on it alone', async () => {
    const workspace = openIn(directory.path);
    const shared = '- Both know this [rollouts: a, b]';
    const model = scriptedModel({
      consolidation: () => ({
        actions: [
          write(
            'MEMORY.md',
            `# Task group: of a\n## Task: alone\n- Only a knows\n  and more of it [rollouts: a]\n# Task group: of both\n${shared}\n`,
          ),
          write('memory_summary.md', `## Index\n- Of a [rollouts: a]\n${shared}\n`),
          write('skills/of-a/SKILL.md', '---\nname: of-a\ndescription: d\nrollouts: a\n---\nDo it.\n'),
          write('skills/of-both/SKILL.md', '---\nname: of-both\ndescription: d\nrollouts: b, a\n---\nDo it.\n'),
        ],
        done: true,
      }),
    });
    const memory = new WorkspaceMemory({ workspace, model });
    for (const id of ['a', 'b']) await memory.run({ conversationId: id }).append(said(`Said in ${id}`));
    await memory.generate();
    const calls = model.asked.length;
    expect(await memory.forget('none')).toBe(false);
    expect(await memory.forget('a')).toBe(true);
    expect(await memory.forget('a')).toBe(false);
    expect(model.asked).toHaveLength(calls);
    expect(await textOf(workspace, 'memories/MEMORY.md')).toBe(
      '# Task group: of both\n- Both know this [rollouts: b]\n',
    );
    expect(await textOf(workspace, 'memories/memory_summary.md')).toBe('## Index\n- Both know this [rollouts: b]\n');
    expect((await workspace.list('')).filter((path) => /\/a[._]|of-a/.test(path))).toEqual([]);
    expect(await textOf(workspace, 'memories/skills/of-both/SKILL.md')).toContain('rollouts: b\n');
    expect(await textOf(workspace, 'memories/raw_memories.md')).not.toContain('Said in a');
    expect(JSON.parse(await textOf(workspace, 'memories/phase_two_selection.json')).selected).toMatchObject([
      { id: 'b' },
    ]);
    for (const path of await workspace.list('')) expect(await textOf(workspace, path), path).not.toContain('Said in a');
    await memory.close();
  });

  it('drops older conversations from the memory at once, and deletes their files later', async () => {
    const workspace = openIn(directory.path);
    const model = scriptedModel();
    const generate = { maxRawMemoriesForConsolidation: 2 };
    const memory = new WorkspaceMemory({ workspace, model, generate });
    const append = (id: string, day: number) =>
      memory.run({ conversationId: id }).append(said(`Known by ${id}`, 'Yes.', `2026-05-0${day}T00:00:00Z`));
    await append('a', 1);
    await append('b', 2);
    await memory.generate();
    await append('c', 3);
    await memory.close();
    const last = model.asked.at(-1)?.prompt ?? '';
    expect(last).toMatch(/added: c\nupdated: none\nretained: b\nremoved: a/);
    expect(await textOf(workspace, 'memories/MEMORY.md')).not.toContain('Known by a');
    expect(await textOf(workspace, 'memories/MEMORY.md')).toMatch(/Known by c[\s\S]*Known by b/);
    expect(await textOf(workspace, 'memories/raw_memories.md')).not.toContain('Known by a');
    expect(await textOf(workspace, 'memories/raw_memories/a.md')).toContain('Known by a');
    await new WorkspaceMemory({ workspace, model, generate: { ...generate, retainRemovedDays: 0 } }).close();
    expect((await workspace.list('')).filter((path) => /\/a[._]/.test(path))).toEqual([]);
  });

  it('extracts each conversation once if two memories generate at the same time', async () => {
    const workspace = openIn(directory.path);
    const model = scriptedModel();
    const memories = [1, 2].map(() => new WorkspaceMemory({ workspace, model }));
    for (const id of ['a', 'b', 'c']) await memories[0]?.run({ conversationId: id }).append(said(`Said in ${id}`));
    const reports = await Promise.all(memories.map((memory) => memory.close()));
    expect(reports.flatMap(({ extracted }) => extracted).sort()).toEqual(['a', 'b', 'c']);
    expect(model.asked.filter(({ phase }) => phase === 'extraction')).toHaveLength(3);
  });
});

describe('phase 1', () => {
  const open = () => localDirectory(directory.path);

  it('stores nothing if the model finds nothing worth keeping, and does not ask again', async () => {
    const model = scriptedModel({ extraction: () => NOTHING });
    expect(await distil(open(), model, { a: 'Hi' })).toMatchObject({
      extracted: [],
      empty: ['a'],
      consolidated: false,
    });
    expect(await distil(open(), model, {})).toMatchObject({ usage: { calls: 0 } });
    expect(await open().read('memories/raw_memories/a.md')).toBeUndefined();
  });

  it('stores nothing if the notes are placeholders', async () => {
    const blank = { rolloutSummary: 'N/A', rolloutSlug: 'none', rawMemory: 'Nothing to remember.' };
    const report = await distil(open(), scriptedModel({ extraction: () => blank }), { a: 'Hi' });
    expect(report).toMatchObject({ extracted: [], empty: ['a'], failed: [] });
    expect(await open().read('memories/raw_memories/a.md')).toBeUndefined();
  });

  it('keeps the notes of a conversation unchanged if its new part adds nothing', async () => {
    await distil(open(), scriptedModel(), { a: 'The port is 8080' });
    const before = await textOf(open(), 'memories/raw_memories/a.md');
    expect(await distil(open(), scriptedModel({ extraction: () => NOTHING }), { a: 'Thanks' })).toMatchObject({
      empty: ['a'],
    });
    expect(await textOf(open(), 'memories/raw_memories/a.md')).toBe(before);
    expect((await queueOf(open())).a).toMatchObject({ status: 'extracted', slug: 'a-task' });
  });

  it.each<[string, object]>([
    ['only some empty fields', { ...notes('x', ['y']), rawMemory: '' }],
    ['an invalid slug', { ...notes('x', ['y'], 'Not A Slug') }],
    ['a slug that is too long', { ...notes('x', ['y'], 'a'.repeat(81)) }],
    ['a slug with a path', { ...notes('x', ['y'], '../../evil') }],
    ['no front matter', { ...notes('x', ['y']), rawMemory: '# Task: x\n- y' }],
    [
      'an unknown outcome',
      { ...notes('x', ['y']), rawMemory: String(notes('x', ['y']).rawMemory).replace('success', 'great') },
    ],
    [
      'no keywords',
      { ...notes('x', ['y']), rawMemory: String(notes('x', ['y']).rawMemory).replace(/keywords:.*\n/, '') },
    ],
    ['no text', { ...notes('x', ['y']), rolloutSummary: 7 }],
  ])('treats an answer with %s as an error, and retries the conversation next time', async (_, answer) => {
    const failing = scriptedModel({ extraction: () => answer as never });
    const report = await distil(open(), failing, { a: 'x' });
    expect(report).toMatchObject({
      extracted: [],
      failed: [{ rolloutId: 'a', error: { code: 'BACKEND' } }],
      consolidated: false,
    });
    expect((await queueOf(open())).a).toMatchObject({ status: 'failed', attempts: 1, cursor: 0 });
    expect((await open().list('')).filter((path) => path.includes('evil') || path.includes('raw_memories/'))).toEqual(
      [],
    );
    expect(await distil(open(), scriptedModel(), {})).toMatchObject({ extracted: ['a'], consolidated: true });
    expect((await queueOf(open())).a).toMatchObject({ status: 'extracted', attempts: 0 });
  });

  it('continues with the others if the model fails for one conversation', async () => {
    const model = scriptedModel({
      extraction: ({ prompt }) => (prompt.includes('Bad') ? new Error('secret of the driver') : notes('good', ['y'])),
    });
    const report = await distil(open(), model, { a: 'Bad', b: 'Good' });
    expect(report).toMatchObject({
      extracted: ['b'],
      failed: [{ rolloutId: 'a', error: { code: 'BACKEND', cause: { message: 'secret of the driver' } } }],
      consolidated: true,
    });
    expect(JSON.stringify(await queueOf(open()))).not.toContain('secret of the driver');
  });

  it('gives up after five attempts, until the conversation continues', async () => {
    const model = scriptedModel({ extraction: () => new Error('no') });
    await distil(open(), model, { a: 'x' });
    for (let time = 0; time < 6; time++) await distil(open(), model, {});
    expect(model.asked).toHaveLength(5);
    await distil(open(), model, { a: 'y' });
    expect(model.asked).toHaveLength(6);
  });

  it('has no tools', async () => {
    const schemas: unknown[] = [];
    const model = scriptedModel();
    const watching: MemoryModel = {
      generate(request) {
        schemas.push(request.schema);
        return model.generate(request);
      },
    };
    const memory = new WorkspaceMemory({ workspace: open(), model: watching });
    await memory.run().append(said('x'));
    await memory.close();
    expect(Object.keys((schemas[0] as { properties: object }).properties)).toEqual([
      'rolloutSummary',
      'rolloutSlug',
      'rawMemory',
    ]);
  });

  it('replaces the file of an earlier slug', async () => {
    await distil(open(), scriptedModel({ extraction: () => notes('x', ['y'], 'first') }), { a: 'x' });
    await distil(open(), scriptedModel({ extraction: () => notes('x', ['y'], 'second') }), { a: 'y' });
    expect(await open().list('memories/rollout_summaries')).toEqual(['memories/rollout_summaries/a_second.md']);
  });

  it('passes extraPrompt to the model, and redacts its answers', async () => {
    const token = `ghp_${'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'}`;
    const model = scriptedModel({ extraction: () => notes('x', [`use ${token}`]) });
    await distil(open(), model, { a: 'x' }, { extraPrompt: 'Mind the customers.' });
    for (const { system } of model.asked) expect(system).toMatch(/Mind the customers\.$/);
    for (const path of await open().list('')) expect(await textOf(open(), path), path).not.toContain(token);
  });
});

describe('phase 2', () => {
  const open = () => localDirectory(directory.path);
  const good = [
    write('MEMORY.md', '# T\n- y [rollouts: a]\n'),
    write('memory_summary.md', '## Index\n- y [rollouts: a]\n'),
  ];

  it('reads, lists, searches and edits over several answers, and passes the results to the model', async () => {
    const model = scriptedModel({
      consolidation: (_, call) =>
        [
          {
            actions: [
              act('list', { path: 'raw_memories' }),
              act('search', { text: 'PORT is' }),
              act('read', { path: 'raw_memories/a.md' }),
            ],
            done: false,
          },
          {
            actions: [
              ...good,
              act('edit', { path: 'MEMORY.md', find: '- y', text: '- The port is 8080' }),
              act('edit', { path: 'MEMORY.md', find: 'nowhere', text: 'x' }),
            ],
            done: false,
          },
          { actions: [], done: true },
        ][call - 1] ?? {},
    });
    expect(await distil(open(), model, { a: 'The port is 8080' })).toMatchObject({ consolidated: true });
    const [, second, third] = model.asked.filter(({ phase }) => phase === 'consolidation');
    expect(second?.prompt).toMatch(
      /1\.1 list raw_memories\nraw_memories\/a\.md\n1\.2 search\n[\s\S]*raw_memories\/a\.md:\d+: - The port is 8080[\s\S]*1\.3 read/,
    );
    expect(third?.prompt).toMatch(
      /2\.3 edit MEMORY\.md\nEdited\.\n2\.4 edit MEMORY\.md\nRefused: "find" stands there nowhere/,
    );
    expect(await textOf(open(), 'memories/MEMORY.md')).toBe('# T\n- The port is 8080 [rollouts: a]\n');
  });

  it.each<[string, readonly object[], RegExp]>([
    [
      'a summary that is too long',
      [write('memory_summary.md', `- ${'x'.repeat(46_000)} [rollouts: a]`)],
      /at most 15000/,
    ],
    [
      'a link to a missing summary',
      [write('MEMORY.md', '- see rollout_summaries/b_x.md [rollouts: a]')],
      /there is no rollout_summaries\/b_x\.md/,
    ],
    ['a bullet that names no rollout', [write('MEMORY.md', '- y')], /end with the rollouts/],
    ['an unknown rollout', [write('MEMORY.md', '- y [rollouts: a, z]')], /no rollout \\?"z/],
    ['text outside bullets', [write('MEMORY.md', 'Some text.\n- y [rollouts: a]')], /must be in bullets/],
    ['an empty summary', [write('memory_summary.md', '')], /missing or empty/],
    [
      'a skill with a name that is too long',
      [write(`skills/${'s'.repeat(65)}/SKILL.md`, `---\nname: ${'s'.repeat(65)}\ndescription: d\nrollouts: a\n---\nx`)],
      /at most 64/,
    ],
    ['a skill without front matter', [write('skills/s/SKILL.md', 'x')], /front matter/],
    ['a skill without SKILL.md', [write('skills/s/other.md', 'x')], /no SKILL\.md/],
  ])('refuses %s, tells the model why, and changes nothing', async (_, actions, words) => {
    await distil(open(), scriptedModel({ consolidation: () => ({ actions: good, done: true }) }), { a: 'x' });
    const before = await textOf(open(), 'memories/MEMORY.md');
    const selection = await textOf(open(), 'memories/phase_two_selection.json');
    const model = scriptedModel({ consolidation: () => ({ actions, done: true }) as never });
    const report = await distil(open(), model, { a: 'y' }, { maxTurns: 2 });
    expect(report).toMatchObject({ consolidated: false, consolidationError: { code: 'BACKEND' } });
    expect(model.asked.at(-1)?.prompt).toMatch(words);
    expect(await textOf(open(), 'memories/MEMORY.md')).toBe(before);
    expect(await textOf(open(), 'memories/phase_two_selection.json')).toBe(selection);
    expect(await open().list('memories/skills')).toEqual([]);
    expect(
      await distil(open(), scriptedModel({ consolidation: () => ({ actions: [], done: true }) }), {}),
    ).toMatchObject({ consolidated: true });
  });

  it('uses the custom names of its files', async () => {
    const workspace = open();
    const layout = { summaryFile: 'briefing.md' };
    const model = scriptedModel({
      consolidation: () => ({ actions: [good[0], write('briefing.md', '- y [rollouts: a]')] as never, done: true }),
    });
    const memory = new WorkspaceMemory({ workspace, model, layout });
    await memory.run({ conversationId: 'a' }).append(said('x'));
    expect(await memory.generate()).toMatchObject({ consolidated: true });
    expect((await memory.read()).instructions).toContain('- y [rollouts: a]');
    expect(model.asked.at(-1)?.system).not.toContain('memory_summary.md');
    await memory.close();
  });

  it('starts again if a run updates the memory meanwhile, and loses neither change', async () => {
    const workspace = open();
    await distil(workspace, scriptedModel(), { a: 'The port is 8080' });
    const running = new WorkspaceMemory({ workspace, generate: null });
    const update = (await running.read({ rolloutId: 'b' })).tools.find(({ name }) => name === 'memory_update');
    const plain = scriptedModel();
    const model = scriptedModel({
      consolidation: async (asked, call) => {
        if (call === 1) await update?.execute({ stale: 'The port is 8080', now: 'The port is 9090' });
        const answer = await plain.generate({ ...asked, schema: { properties: { actions: {} } } });
        return answer.object as never;
      },
    });
    const report = await distil(workspace, model, { c: 'The host is up' });
    expect(report).toMatchObject({ consolidated: true });
    const memory = await textOf(workspace, 'memories/MEMORY.md');
    expect(memory).toContain('The port is 9090 [rollouts: a, b]');
    expect(memory).toContain('The host is up');
    await running.close();
  });
});

describe('generation', () => {
  const open = () => localDirectory(directory.path);

  it('reports the token usage of the model, or an estimate', async () => {
    const model = scriptedModel();
    const counting = {
      generate: async (request: Parameters<typeof model.generate>[0]) => ({
        ...(await model.generate(request)),
        usage: { inputTokens: 100, outputTokens: 10 },
      }),
    };
    const memory = new WorkspaceMemory({ workspace: open(), model: counting });
    await memory.run().append(said('x'));
    expect((await memory.close()).usage).toEqual({ calls: 2, inputTokens: 200, outputTokens: 20 });
    const { usage } = await distil(open(), scriptedModel(), { b: 'y' });
    expect(usage.inputTokens).toBeGreaterThan(1_000);
    expect(usage.outputTokens).toBeGreaterThan(50);
  });

  it('stays under maxTokens, and leaves the rest for the next time', async () => {
    const model = scriptedModel();
    const report = await distil(open(), model, { a: 'x', b: 'y', c: 'z' }, { maxTokens: 3_000 });
    expect(report.usage.inputTokens + report.usage.outputTokens).toBeLessThanOrEqual(3_000);
    expect(report.extracted.length).toBeGreaterThan(0);
    expect(report.failed.map(({ error }) => error.code)).toContain('TOO_LARGE');
    expect(report.extracted.length + report.failed.length).toBe(3);
    expect(report.consolidated).toBe(false);
    const next = await distil(open(), model, {});
    expect(next.extracted.length).toBe(3 - report.extracted.length);
    expect(next.consolidated).toBe(true);
  });

  it('skips a conversation that is too long for maxTokens, and processes the others', async () => {
    const workspace = open();
    const model = scriptedModel();
    const conversations = { long: 'x'.repeat(30_000), short: 'The port is 8080' };
    const report = await distil(workspace, model, conversations, { maxTokens: 8_000 });
    expect(report.extracted).toEqual(['short']);
    expect(report.failed).toMatchObject([{ rolloutId: 'long', error: { code: 'TOO_LARGE' } }]);
    expect(report.consolidated).toBe(true);
    expect((await distil(workspace, model, {})).extracted).toEqual(['long']);
  });

  it('tries a conversation that is too long for the model five times', async () => {
    const workspace = open();
    const error = new MemoryError('TOO_LARGE', 'The prompt is too long for this model.');
    const model = scriptedModel({ extraction: () => error });
    await distil(workspace, model, { a: 'x' });
    for (let n = 0; n < 6; n++) await distil(workspace, model, {});
    expect(model.asked).toHaveLength(5);
    expect((await queueOf(workspace)).a).toMatchObject({ status: 'failed', attempts: 5 });
  });

  it('ends when its signal is aborted, and keeps finished extractions', async () => {
    const workspace = open();
    const controller = new AbortController();
    const model = scriptedModel({
      extraction: (_, call) => {
        if (call === 2) controller.abort();
        return notes(`task ${call}`, ['y']);
      },
    });
    const memory = new WorkspaceMemory({ workspace, model });
    for (const id of ['a', 'b']) await memory.run({ conversationId: id }).append(said(id));
    await expect(memory.generate({ signal: controller.signal })).rejects.toMatchObject({ code: 'ABORTED' });
    expect(Object.keys(await queueOf(workspace))).toEqual(['a']);
    expect((await memory.close()).extracted).toEqual(['b']);
  });

  it('reports its progress', async () => {
    const memory = new WorkspaceMemory({ workspace: open(), model: scriptedModel() });
    for (const id of ['a', 'b']) await memory.run({ conversationId: id }).append(said(id));
    const progress: string[] = [];
    await memory.close({ onProgress: ({ phase, done, total }) => progress.push(`${phase} ${done}/${total}`) });
    expect(progress).toEqual(['extraction 0/2', 'extraction 1/2', 'consolidation 2/2']);
  });

  it('starts automatically some time after the last run', async () => {
    const reported = Promise.withResolvers<unknown>();
    const generate = { debounceMs: 20, onReport: reported.resolve };
    const memory = new WorkspaceMemory({ workspace: open(), model: scriptedModel(), generate });
    await memory.run({ conversationId: 'a' }).append(said('x'));
    // The timer of the memory does not keep the process alive, so the test does.
    const alive = setInterval(() => {}, 1_000);
    expect(await reported.promise).toMatchObject({ extracted: ['a'], consolidated: true });
    clearInterval(alive);
    await memory.close();
  });
});

it('conversations() lists the status of each conversation, newest first', async () => {
  const model = scriptedModel({
    extraction: ({ prompt }) =>
      prompt.includes('Bad') ? new Error('no') : prompt.includes('Hi') ? NOTHING : notes('x', ['y']),
  });
  const memory = new WorkspaceMemory({ workspace: localDirectory(directory.path), model });
  const append = (id: string, text: string, day: number) =>
    memory.run({ conversationId: id }).append(said(text, 'Yes.', `2026-05-0${day}T00:00:00Z`));
  expect(await memory.conversations()).toEqual([]);
  await append('A_a', 'Good', 1);
  await append('b', 'Bad', 2);
  await append('c', 'Hi', 3);
  await memory.generate();
  await append('d', 'New', 4);
  expect(await memory.conversations()).toMatchObject([
    { rolloutId: 'd', status: 'queued', updatedAt: '2026-05-04T00:00:00.000Z' },
    { rolloutId: 'c', status: 'empty' },
    { rolloutId: 'b', status: 'failed', error: 'The model failed.' },
    { rolloutId: 'A_a', status: 'extracted', summary: 'rollout_summaries/~41~5fa_a-task.md' },
  ]);
  await memory.close();
});

describe('a memory', () => {
  const open = () => localDirectory(directory.path);

  it('stores nothing without generate, and returns nothing without read', async () => {
    const reader = new WorkspaceMemory({ workspace: open(), generate: null });
    await reader.run().append(said('x'));
    await reader.close();
    expect(await open().list('')).toEqual([]);
    const writer = new WorkspaceMemory({ workspace: open(), model: scriptedModel(), read: null });
    await writer.run().append(said('x'));
    await writer.generate();
    expect(await writer.read()).toEqual({ instructions: '', tools: [] });
    await writer.close();
    expect(await open().list('sessions')).toHaveLength(2);
  });

  it('closes once, and refuses calls afterwards', async () => {
    const memory = new WorkspaceMemory({ workspace: open(), model: scriptedModel() });
    const [first, second] = await Promise.all([memory.close(), memory.close()]);
    expect(first).toBe(second);
    for (const call of [
      () => memory.read(),
      () => memory.generate(),
      () => memory.forget('a'),
      () => memory.run().append(said('x')),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'CLOSED' });
    }
  });
});
