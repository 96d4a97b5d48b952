import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  deleteSession,
  foldSessionSummary,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  importSessionToStore,
  listSessions,
  listSubagents,
  renameSession,
  tagSession,
} from '@anthropic-ai/claude-agent-sdk';
import { InMemoryStore } from '@keepsake/in-memory';
import { useDirectory } from '@keepsake/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { KeepsakeSessionStore } from '../src/index.ts';
import { says } from './support/entries.ts';

/* The functions of the SDK itself on a store, and its reader of the files of Claude Code. */

const directory = useDirectory();
const sessionId = '5f2f3c0e-0000-4000-8000-000000000001';
const entries = [0, 1, 2, 3].map((n) => says(n, n === 0 ? undefined : n - 1));

beforeEach(() => void vi.stubEnv('CLAUDE_CONFIG_DIR', join(directory.path, 'config')));
afterEach(() => void vi.unstubAllEnvs());

/** A session of Claude Code with a subagent, in its files. */
function writeSession(): string {
  const project = join(directory.path, 'app');
  mkdirSync(project, { recursive: true });
  const folder = join(directory.path, 'config/projects', project.replaceAll(/[^a-zA-Z0-9]/g, '-'));
  mkdirSync(join(folder, sessionId, 'subagents'), { recursive: true });
  const lines = (some: object[]) => some.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  writeFileSync(join(folder, `${sessionId}.jsonl`), lines(entries));
  const sidechain = entries.map((entry) => ({ ...entry, isSidechain: true, agentId: 'a1' }));
  writeFileSync(join(folder, sessionId, 'subagents/agent-a1.jsonl'), lines(sidechain));
  return project;
}

it('a session of Claude Code is imported twice, and then listed, read, renamed, tagged, forked and deleted once', async () => {
  const dir = writeSession();
  const sessionStore = new KeepsakeSessionStore({ store: new InMemoryStore({ name: 'claude' }), foldSessionSummary });
  await importSessionToStore(sessionId, sessionStore, { dir, batchSize: 3 });
  await importSessionToStore(sessionId, sessionStore, { dir });
  const options = { dir, sessionStore };

  expect((await getSessionMessages(sessionId, options)).map(({ uuid }) => uuid)).toEqual(
    entries.map(({ uuid }) => uuid),
  );
  expect(await listSessions(options)).toMatchObject([{ sessionId, firstPrompt: 'Message 0' }]);
  expect(await listSubagents(sessionId, options)).toEqual(['a1']);
  expect(await getSubagentMessages(sessionId, 'a1', options)).toHaveLength(4);

  await renameSession(sessionId, 'Invoices', options);
  await tagSession(sessionId, 'open', options);
  expect(await getSessionInfo(sessionId, options)).toMatchObject({ customTitle: 'Invoices', tag: 'open' });
  expect(await listSessions(options)).toMatchObject([{ customTitle: 'Invoices', tag: 'open' }]);

  const fork = await forkSession(sessionId, { ...options, upToMessageId: entries[1]?.uuid ?? '' });
  expect(await getSessionMessages(fork.sessionId, options)).toHaveLength(2);
  expect(await listSessions(options)).toHaveLength(2);
  await deleteSession(sessionId, options);
  expect((await listSessions(options)).map((one) => one.sessionId)).toEqual([fork.sessionId]);
  expect(await getSessionMessages(sessionId, options)).toEqual([]);
  expect(await listSubagents(sessionId, options)).toEqual([]);
});
