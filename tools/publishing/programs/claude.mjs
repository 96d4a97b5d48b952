// The transcript of a session is stored and listed, and files of the memory tool are kept.
import assert from 'node:assert/strict';
import { KeepsakeMemoryTool, KeepsakeSessionStore } from '@keepsake/claude';
import { InMemoryStore } from '@keepsake/in-memory';

const store = new InMemoryStore({ name: 'claude' });
const sessions = new KeepsakeSessionStore({
  store,
  // In place of that of the Claude Agent SDK, which is not installed with it.
  foldSessionSummary: (before, { sessionId }, entries, { mtime }) => ({
    sessionId,
    mtime,
    data: { ...before?.data, last: entries.at(-1)?.uuid },
  }),
});
const key = { projectKey: 'app', sessionId: 'chat-42' };
await sessions.append(key, [{ type: 'user', uuid: 'one' }]);
await sessions.append(key, [
  { type: 'user', uuid: 'one' },
  { type: 'assistant', uuid: 'two' },
]);
assert.deepEqual(await sessions.load(key), [
  { type: 'user', uuid: 'one' },
  { type: 'assistant', uuid: 'two' },
]);
const [summary] = await sessions.listSessionSummaries('app');
assert.deepEqual([summary?.sessionId, summary?.data], ['chat-42', { last: 'two' }]);

/** @type {Map<string, { text: string, version: string }>} */
const files = new Map();
const memory = new KeepsakeMemoryTool({
  workspace: {
    read: async (path) => files.get(path),
    async write(path, text) {
      const version = String(Number(files.get(path)?.version ?? 0) + 1);
      files.set(path, { text, version });
      return version;
    },
    list: async () => [...files.keys()],
    delete: async (path) => files.delete(path),
  },
});
await memory.execute({ command: 'create', path: '/memories/notes.md', file_text: 'Likes tea.' });
assert.match(await memory.execute({ command: 'view', path: '/memories/notes.md' }), /1\tLikes tea\./);
