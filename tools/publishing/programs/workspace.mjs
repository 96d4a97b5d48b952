// A run is distilled, and the next one is given what it has learnt.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { localDirectory, WorkspaceMemory } from '@keepsake/workspace';

const directory = mkdtempSync('workspace-');
const bullet = '- The port is 8080 [rollouts: a]\n';
const rawMemory = `---\ndescription: d\ntask: t\ntaskGroup: g\noutcome: success\nkeywords: k\n---\n${bullet}`;
/** @param {string} path */
const write = (path) => ({ tool: 'write', path, text: bullet, find: null, offset: null });
/** @type {import('@keepsake/core').MemoryModel} */
const model = {
  async generate({ schema }) {
    const answer = JSON.stringify(schema).includes('"actions"')
      ? { actions: [write('MEMORY.md'), write('memory_summary.md')], done: true }
      : { rolloutSummary: 'What happened.', rolloutSlug: 'the-port', rawMemory };
    return { text: JSON.stringify(answer) };
  },
};

const memory = new WorkspaceMemory({ workspace: localDirectory(directory), model });
const run = memory.run({ conversationId: 'a' });
await run.append({ input: 'Which port?', generatedItems: [], terminal: { state: 'completed', hasFinalOutput: true } });
assert.equal((await memory.close()).consolidated, true);

const later = new WorkspaceMemory({ workspace: localDirectory(directory), generate: null });
assert.match((await later.read()).instructions, /The port is 8080/);
await later.close();
rmSync(directory, { recursive: true });
