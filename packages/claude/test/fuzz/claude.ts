import { isMemoryError } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { damageRecords } from '@keepsake/testing/fuzz/damaged-records';
import { mutateJson } from '@keepsake/testing/fuzz/json';
import { Random } from '@keepsake/testing/fuzz/random';
import { fuzzTarget } from '@keepsake/testing/fuzz/target';
import { recordWorkspace } from '@keepsake/workspace';
import { KeepsakeMemoryTool, KeepsakeSessionStore } from '../../src/index.ts';

const COMMANDS: readonly unknown[] = [
  { command: 'create', path: '/memories/b/c.md', file_text: 'Tea.\n' },
  { command: 'view', path: '/memories/a.md', view_range: [1, 2] },
  { command: 'view', path: '/memories' },
  { command: 'str_replace', path: '/memories/a.md', old_str: 'rye', new_str: 'wheat $& $1' },
  { command: 'str_replace', path: '/memories/a.md', old_str: 'rye.\r\nLives' },
  { command: 'insert', path: '/memories/a.md', insert_line: 1, insert_text: 'More.' },
  { command: 'rename', old_path: '/memories/a.md', new_path: '/memories/d/e.md' },
  { command: 'delete', path: '/memories/a.md' },
];

export const memoryCommands = fuzzTarget({
  input: (random) => mutateJson(random, random.pick(COMMANDS), COMMANDS) as never,
  // The memory tool of the Anthropic SDK says what is wrong in plain errors.
  isRefusal: (error) => error instanceof Error && error.constructor === Error,
  async run(command) {
    const workspace = recordWorkspace(new InMemoryStore({ name: 'files' }));
    await workspace.write('memories/a.md', 'Likes rye.\nLives in Ghent.\n', { ifVersion: null });
    await new KeepsakeMemoryTool({ workspace }).execute(command);
  },
});

const ENTRIES = [
  { type: 'user', uuid: 'u1', timestamp: '2026-05-03T09:12:00.000Z', message: { role: 'user', content: 'Hi' } },
  { type: 'assistant', uuid: 'u2', parentUuid: 'u1', message: { role: 'assistant', content: [{ text: 'Ho' }] } },
];
const KEY = { projectKey: 'p', sessionId: 's' };
const foldSessionSummary = (() => ({ ...KEY, mtime: 1, data: {} })) as never;

export const transcriptEntries = fuzzTarget({
  input: (random) => ({
    entries: mutateJson(random, ENTRIES, ENTRIES) as never,
    key: mutateJson(random, KEY) as never,
  }),
  async run({ entries, key }) {
    const store = new KeepsakeSessionStore({ store: new InMemoryStore({ name: 'sessions' }), foldSessionSummary });
    await store.append(key, entries);
    await store.load(key);
  },
});

export const damagedTranscripts = fuzzTarget({
  inputs: 300,
  input: (random) => random.whole(2 ** 31),
  async run(seed) {
    const records = new InMemoryStore({ name: 'sessions' });
    const store = new KeepsakeSessionStore({ store: records, foldSessionSummary });
    await store.append(KEY, ENTRIES as never);
    await store.append({ ...KEY, subpath: 'agent' }, ENTRIES as never);
    await damageRecords(new Random(seed), records);
    const reopened = new KeepsakeSessionStore({ store: records, foldSessionSummary });
    for (const read of [() => reopened.load(KEY), () => reopened.listSessions('p'), () => reopened.listSubkeys(KEY)]) {
      await read().catch((error) => {
        if (!isMemoryError(error)) throw error;
      });
    }
    await reopened.append(KEY, [{ type: 'user', uuid: 'u3' }] as never);
  },
});
