import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMemoryError } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { type Folder, mutateFolder, readFolder, writeFolder } from '@keepsake/testing/fuzz/folder';
import { mutateJson, mutateJsonText } from '@keepsake/testing/fuzz/json';
import type { Random } from '@keepsake/testing/fuzz/random';
import { fuzzTarget } from '@keepsake/testing/fuzz/target';
import { mutateText } from '@keepsake/testing/fuzz/text';
import {
  localDirectory,
  recordWorkspace,
  type SegmentInput,
  type Workspace,
  WorkspaceMemory,
} from '../../src/index.ts';
import { notes, scriptedModel } from '../support/model.ts';
import { said } from '../support/segments.ts';

const AT = '2026-05-03T09:12:00.000Z';

/** The files of a workspace with two conversations, one of which no memory knows yet. */
async function workspaceFiles(): Promise<Folder> {
  const directory = mkdtempSync(join(tmpdir(), 'keepsake-'));
  await fill(localDirectory(directory));
  const files = readFolder(directory);
  rmSync(directory, { recursive: true });
  return files;
}

async function fill(workspace: Workspace): Promise<void> {
  const memory = new WorkspaceMemory({ workspace, model: scriptedModel() });
  await memory.run({ conversationId: 'a' }).append(said('The tests run with make check', 'Done.', AT));
  await memory.close();
  const later = new WorkspaceMemory({ workspace, generate: null });
  await later.run({ conversationId: 'b' }).append(said('The port is 8080', 'Done.', AT));
  await later.close();
}

const files = await workspaceFiles();

/** Changes a JSON line, or a text. */
function mutateFile(random: Random, bytes: Uint8Array): Uint8Array {
  const lines = Buffer.from(bytes).toString().split('\n');
  const index = random.whole(lines.length);
  const line = lines[index] as string;
  lines[index] =
    line.startsWith('{') && isJson(line) ? mutateJsonText(random, [JSON.parse(line)]) : mutateText(random, line);
  return Buffer.from(lines.join('\n'));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export const damagedFiles = fuzzTarget({
  inputs: 100,
  input: (random) => mutateFolder(random, files, mutateFile),
  async run(folder) {
    const directory = mkdtempSync(join(tmpdir(), 'keepsake-'));
    try {
      writeFolder(directory, folder);
      const memory = new WorkspaceMemory({ workspace: localDirectory(directory), model: scriptedModel() });
      const { tools } = await memory.read();
      const uses = [
        ...tools.map(
          (tool) => () => tool.execute({ query: 'tests', path: 'MEMORY.md', stale: 'make check', now: 'x' }),
        ),
        () => memory.conversations(),
        () => memory.generate(),
        () => memory.forget('a'),
        () => memory.close(),
      ];
      for (const use of uses) {
        await use().catch((error: unknown) => {
          if (!isMemoryError(error) || error.cause instanceof TypeError) throw error;
        });
      }
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
});

const EXTRACTED = notes('tests', ['Tests run with make check']);
const CONSOLIDATED = {
  actions: [
    { action: 'write', path: 'MEMORY.md', text: '# Task group: tests\n- Tests run with make check [rollouts: a]\n' },
    { action: 'replace', path: 'MEMORY.md', old: 'make', new: 'npm', text: 'x' },
    { action: 'delete', path: 'skills/x/SKILL.md' },
  ],
  done: true,
};

export const modelAnswers = fuzzTarget({
  inputs: 150,
  input: (random) => ({
    extraction: mutateJson(random, EXTRACTED) as never,
    consolidation: mutateJson(random, CONSOLIDATED) as never,
  }),
  async run({ extraction, consolidation }) {
    const workspace = recordWorkspace(new InMemoryStore({ name: 'files' }));
    const model = scriptedModel({ extraction: () => extraction, consolidation: () => consolidation });
    const memory = new WorkspaceMemory({ workspace, model });
    await memory.run({ conversationId: 'a' }).append(said('The tests run with make check', 'Done.', AT));
    await memory.generate();
    await memory.read();
    await memory.close();
  },
});

export const segments = fuzzTarget({
  inputs: 300,
  input: (random) => mutateJson(random, said('The port is 8080', 'Done.', AT)) as SegmentInput,
  async run(segment) {
    const workspace = recordWorkspace(new InMemoryStore({ name: 'files' }));
    const memory = new WorkspaceMemory({ workspace, model: scriptedModel() });
    await memory.run({ conversationId: 'a' }).append(segment);
    await memory.generate();
    await memory.conversations();
    await memory.close();
  },
});

const TOOL_INPUT = { query: 'tests', path: 'MEMORY.md', stale: 'make check', now: '# Group\nUse npm test', limit: 3 };

export const toolInputs = fuzzTarget({
  inputs: 300,
  input: (random) => mutateJson(random, TOOL_INPUT) as never,
  async run(input) {
    const workspace = recordWorkspace(new InMemoryStore({ name: 'files' }));
    for (const [path, bytes] of files) await workspace.write(path, Buffer.from(bytes).toString(), { ifVersion: null });
    const memory = new WorkspaceMemory({ workspace, generate: null });
    for (const tool of (await memory.read()).tools) {
      await tool.execute(input).catch((error) => {
        if (!isMemoryError(error)) throw error;
      });
    }
  },
});

const PATHS = ['memories/MEMORY.md', 'sessions/a.jsonl', '../x', 'a/./b'];

export const paths = fuzzTarget({
  inputs: 300,
  input: (random) => mutateText(random, random.pick(PATHS), PATHS),
  async run(path) {
    const directory = mkdtempSync(join(tmpdir(), 'keepsake-'));
    try {
      const workspace = localDirectory(directory);
      await workspace.write(path, 'text', { ifVersion: null });
      await workspace.read(path);
      await workspace.delete(path);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
});
