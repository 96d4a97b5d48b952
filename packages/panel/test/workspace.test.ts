import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OpenedConfig } from '@keepsake/config';
import { InMemoryStore } from '@keepsake/in-memory';
import { useDirectory } from '@keepsake/testing';
import { localDirectory, WorkspaceMemory } from '@keepsake/workspace';
import { expect, it } from 'vitest';
import { createPanel } from '../src/index.ts';
import { PATHS, type WorkspaceFileView, type WorkspaceView } from '../src/protocol.ts';
import { Client } from './support/client.ts';

const directory = useDirectory();

const configured = () =>
  new OpenedConfig(
    { memory: () => new InMemoryStore({ name: 'memory' }), workspace: () => localDirectory(directory.path) },
    { path: 'the test' },
  );

it('the workspace shows its memory, the conversations behind each bullet, and no other file', async () => {
  const memory = new WorkspaceMemory({ workspace: localDirectory(directory.path), generate: {}, model: { generate } });
  await memory
    .run({ conversationId: 'invoice-fix' })
    .append({ input: 'hello', generatedItems: [], terminal: { state: 'completed', hasFinalOutput: true } });
  mkdirSync(join(directory.path, 'memories'), { recursive: true });
  const text = '# Tests\n- Run make check [rollouts: invoice-fix, conv-7]\n- Use tabs\n';
  writeFileSync(join(directory.path, 'memories/MEMORY.md'), text);
  writeFileSync(join(directory.path, '.env'), 'SECRET=1');
  const client = new Client(createPanel(configured()));
  const view = await client.get<WorkspaceView>(PATHS.workspace);
  expect(view.rollouts).toMatchObject([{ rolloutId: 'invoice-fix', status: 'queued' }]);
  expect(view.files.map(({ path }) => path)).toContain('memories/MEMORY.md');
  const file = await client.get<WorkspaceFileView>(PATHS.workspaceFile, { path: 'memories/MEMORY.md' });
  expect(file).toMatchObject({ text, length: text.length });
  expect(file.blocks).toEqual([
    { kind: 'heading', text: '# Tests', rollouts: [] },
    { kind: 'bullet', text: '- Run make check', rollouts: ['invoice-fix', 'conv-7'] },
    { kind: 'bullet', text: '- Use tabs', rollouts: [] },
  ]);
  for (const path of ['.env', '../.env', 'memories/../.env', '/etc/passwd', 'memories']) {
    expect((await client.fetchGet(PATHS.workspaceFile, { path })).status).toBe(404);
  }
});

it('a long Markdown file is read in pieces, none of which parts a bullet from its rollouts', async () => {
  const line = (number: number) =>
    number % 10 === 0
      ? `# Part ${number}`
      : `- Lesson ${number} ${'é'.repeat(number % 40)}\n  and more [rollouts: run-${number}]`;
  const text = `${Array.from({ length: 1_500 }, (_, number) => line(number)).join('\n')}\n`;
  const long = `- ${'x'.repeat(50_000)} [rollouts: last]\n`;
  mkdirSync(join(directory.path, 'memories'), { recursive: true });
  writeFileSync(join(directory.path, 'memories/MEMORY.md'), text);
  writeFileSync(join(directory.path, 'memories/long.md'), long);
  const client = new Client(createPanel(configured()));
  const read = async (path: string) => {
    const pieces: WorkspaceFileView[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; offset = pieces.at(-1)?.nextOffset) {
      pieces.push(await client.get<WorkspaceFileView>(PATHS.workspaceFile, { path, offset }));
    }
    return pieces;
  };
  const pieces = await read('memories/MEMORY.md');
  expect(pieces.length).toBeGreaterThan(2);
  expect(pieces.map((piece) => piece.text).join('')).toBe(text);
  expect(pieces.flatMap(({ blocks }) => blocks?.map(({ rollouts }) => rollouts))).toEqual(
    Array.from({ length: 1_500 }, (_, number) => (number % 10 === 0 ? [] : [`run-${number}`])),
  );
  expect((await read('memories/long.md')).map((piece) => piece.text).join('')).toBe(long);
});

it('a configuration without a workspace says so', async () => {
  const config = new OpenedConfig({ memory: () => new InMemoryStore({ name: 'memory' }) }, { path: 'the test' });
  const answer = await new Client(createPanel(config)).fetchGet(PATHS.workspace);
  expect(answer.status).toBe(422);
  expect(await answer.json()).toMatchObject({ error: { code: 'UNSUPPORTED' } });
});

/** Never asked: nothing is distilled before the memory is closed. */
function generate(): Promise<never> {
  return Promise.reject(new Error('There is no model.'));
}
