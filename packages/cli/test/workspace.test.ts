import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { localDirectory, WorkspaceMemory } from '@keepsake/workspace';
import { describe, expect, it } from 'vitest';
import { keepsake } from './keepsake.ts';
import { useDirectories } from './use-directories.ts';

const temporaryDirectory = useDirectories();

/** Records conversations in a workspace, to be distilled later. */
async function keep(cwd: string, conversations: Record<string, string>, layout = {}) {
  const model = { generate: () => Promise.reject(new Error('not asked here')) };
  const memory = new WorkspaceMemory({ workspace: localDirectory(join(cwd, '.agent')), model, layout });
  for (const [conversationId, input] of Object.entries(conversations)) {
    await memory.run({ conversationId }).append({
      input,
      generatedItems: [],
      terminal: { state: 'completed', hasFinalOutput: false },
      updatedAt: '2026-05-03T09:12:00Z',
    });
  }
  await expect(memory.close({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' });
}

const RAW = `---
description: d
task: t
taskGroup: g
outcome: success
keywords: k
---
# Task: t
- The port is 8080
`;

/** A server of the Responses API with scripted answers. */
async function startModelServer() {
  const requests: {
    readonly authorization: string | undefined;
    readonly body: {
      model: string;
      instructions?: string;
      input?: unknown;
      text: { format: { schema: { properties: object } } };
    };
  }[] = [];
  const server = createServer(async (incoming, response) => {
    const request = { authorization: incoming.headers.authorization, body: JSON.parse(await text(incoming)) };
    requests.push(request);
    const isNotes = 'rawMemory' in request.body.text.format.schema.properties;
    const bullet = '- The port is 8080 [rollouts: a]\n';
    const write = (path: string, file: string) => ({ tool: 'write', path, text: file, find: null, offset: null });
    const answer = isNotes
      ? { rolloutSummary: 'What happened.', rolloutSlug: 'the-port', rawMemory: RAW }
      : { actions: [write('MEMORY.md', bullet), write('memory_summary.md', bullet)], done: true };
    const output = [{ type: 'message', content: [{ type: 'output_text', text: JSON.stringify(answer) }] }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ output, error: null, usage: { input_tokens: 1_000, output_tokens: 50 } }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    env: { OPENAI_API_KEY: 'test-key', OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_MODEL: 'tiny' },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe.concurrent('workspace', () => {
  it('show, generate with progress and cost, and forget work together', async ({ onTestFinished }) => {
    const cwd = temporaryDirectory();
    const server = await startModelServer();
    onTestFinished(server.close);
    await keep(cwd, { a: 'Which port?' });
    expect(await keepsake(['workspace', 'show'], { cwd })).toMatchObject({
      exitCode: 0,
      stdout: 'a\tqueued\t2026-05-03T09:12:00.000Z\t\n',
    });
    const generated = await keepsake(['workspace', 'generate'], { cwd, env: server.env });
    expect(generated).toMatchObject({
      exitCode: 0,
      stdout:
        '1 extracted, 0 with nothing worth keeping, 0 still queued, memory updated.\n2 model calls, 2000 input tokens, 100 output tokens.\n',
      stderr: 'Extracting conversation 1 of 1 (0 tokens so far)\nConsolidating (1050 tokens so far)\n',
    });
    expect(server.requests.map(({ authorization, body }) => [authorization, body.model])).toEqual([
      ['Bearer test-key', 'tiny'],
      ['Bearer test-key', 'tiny'],
    ]);
    expect((await keepsake(['workspace', 'show'], { cwd })).stdout).toBe(
      'a\textracted\t2026-05-03T09:12:00.000Z\trollout_summaries/a_the-port.md\n',
    );
    const shown = JSON.parse((await keepsake(['workspace', 'show', '--json'], { cwd })).stdout);
    expect(shown).toMatchObject({
      items: [{ rolloutId: 'a' }],
      instructions: expect.stringContaining('The port is 8080'),
    });
    expect(await keepsake(['workspace', 'forget', 'a', 'b'], { cwd })).toMatchObject({
      exitCode: 3,
      stdout: 'a\n',
      stderr: 'There is no conversation b.\n',
    });
    expect(readFileSync(join(cwd, '.agent/memories/MEMORY.md'), 'utf8')).toBe('');
  });

  it('generate takes the options of the API', async ({ onTestFinished }) => {
    const cwd = temporaryDirectory();
    const server = await startModelServer();
    onTestFinished(server.close);
    await keep(cwd, { a: 'Which port?', b: 'Which host?' });
    const run = (...options: string[]) => keepsake(['workspace', 'generate', ...options], { cwd, env: server.env });
    for (const options of [
      ['--max-turns', '0'],
      ['--max-prompt-tokens', '10'],
      ['--retain-removed-days', 'soon'],
      ['--max-raw-memories-for-consolidation', '5000'],
    ])
      expect(await run(...options), options.join(' ')).toMatchObject({ exitCode: 2 });
    expect(server.requests).toHaveLength(0);
    const limits = ['--max-turns', '3', '--max-prompt-tokens', '50000', '--model-timeout-ms', '60000'];
    const selection = ['--max-raw-memories-for-consolidation', '1', '--retain-removed-days', '0'];
    const generated = await run(...limits, ...selection, '--extra-prompt', 'Mind the customers.');
    expect(generated).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('2 extracted') });
    const asked = server.requests.map(({ body }) => JSON.stringify(body));
    for (const each of asked) expect(each).toContain('Mind the customers.');
    expect(asked.at(-1)).toContain('This is answer 1 of at most 3.');
    expect(readdirSync(join(cwd, '.agent/memories/raw_memories'))).toEqual(['a.md']);
    await keep(cwd, { c: 'And the path?' });
    expect(await run('--max-consolidation-tokens', '100')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('maxConsolidationTokens (100)'),
    });
  });

  it('a custom layout has separate conversations', async () => {
    const cwd = temporaryDirectory();
    await keep(cwd, { a: 'x' }, { sessionsDir: 'sessions/gtm', memoriesDir: 'memories/gtm' });
    const layout = ['--sessions-dir', 'sessions/gtm', '--memories-dir', 'memories/gtm'];
    expect((await keepsake(['workspace', 'show', ...layout], { cwd })).stdout).toContain('a\tqueued');
    expect((await keepsake(['workspace', 'show'], { cwd })).stdout).toBe('');
  });

  it('a layout with custom file names must be opened with the same names', async () => {
    const cwd = temporaryDirectory();
    await keep(cwd, { a: 'x' }, { summaryFile: 'tips.md', memoryFile: 'INDEX.md' });
    const names = ['--summary-file', 'tips.md', '--memory-file', 'INDEX.md'];
    expect((await keepsake(['workspace', 'show', ...names], { cwd })).stdout).toContain('a\tqueued');
    expect(await keepsake(['workspace', 'forget', 'a'], { cwd })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('share some of their files'),
    });
    expect(await keepsake(['workspace', 'forget', 'a', ...names], { cwd })).toMatchObject({
      exitCode: 0,
      stdout: 'a\n',
    });
  });

  it('generate reports what is left if the model fails and exits with 1', async () => {
    const cwd = temporaryDirectory();
    await keep(cwd, { a: 'x' });
    const env = { OPENAI_API_KEY: 'test-key', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' };
    expect(await keepsake(['workspace', 'generate'], { cwd, env })).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/^0 extracted, 0 with nothing worth keeping, 1 still queued/),
      stderr: expect.stringMatching(/a stays queued: Cannot reach the model/),
    });
    const json = JSON.parse((await keepsake(['workspace', 'generate', '--json'], { cwd, env })).stdout);
    expect(json).toMatchObject({ failed: [{ rolloutId: 'a', error: { code: 'BACKEND' } }], consolidated: false });
    const budget = await keepsake(['workspace', 'generate', '--max-tokens', '10'], { cwd, env });
    expect(budget).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('maxTokens (10)') });
  });

  it('refuses invalid options and creates no directory', async () => {
    const cwd = temporaryDirectory();
    expect(await keepsake(['workspace', 'show'], { cwd })).toMatchObject({
      exitCode: 3,
      stderr: 'keepsake: There is no directory .agent.\n',
    });
    expect(existsSync(join(cwd, '.agent'))).toBe(false);
    await keep(cwd, { a: 'x' });
    const env = { OPENAI_API_KEY: '' };
    expect(await keepsake(['workspace', 'generate'], { cwd, env })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('OPENAI_API_KEY'),
    });
    expect(await keepsake(['workspace', 'show', '--memories-dir', '..'], { cwd })).toMatchObject({ exitCode: 2 });
    expect(readdirSync(cwd)).toEqual(['.agent']);
  });
});
