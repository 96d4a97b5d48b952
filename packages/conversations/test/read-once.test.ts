import type { JsonObject } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { readsValuesOnce } from '@keepsake/testing';
import { ConversationMemory, type ConversationMemoryOptions, ModelProfiler, ModelSummariser } from '../src/index.ts';
import { ScriptedModel } from './support/scripted-model.ts';

const store = new InMemoryStore({ name: 'conversations' });
const model = new ScriptedModel({});
const ids = { sessionId: 's', userId: 'alice' };
const open = () =>
  new ConversationMemory({ store: new InMemoryStore({ name: 'runs' }), fullSessionMemory: true, ...ids });
const memory = open();
const chat = memory.for('agent');
const item = { role: 'user', content: [{ type: 'text', text: 'Hi' }] };
const options = {
  ...{ store, model, tenant: 'acme', fullSessionMemory: true, summaryMemory: true, userAnalysisMemory: true },
  ...{
    load: { summary: false, lastTurns: 2 },
    userAnalysisMemory: { dynamic: { maxKeys: 3 }, mode: 'replace' },
    ...ids,
  },
};
const run = {
  ...{ runId: 'r', status: 'paused', items: [item], agentId: 'a', parentRunId: 'p', output: { text: ['Hi'] } },
  ...{ checkpoint: { step: [1] }, pauseReason: 'approval', error: { code: 1 }, usage: { inputTokens: 1 }, version: 0 },
};

/** What a memory with these options, which may be read only now, keeps. */
async function keptWith(given: ConversationMemoryOptions) {
  const { sessionId, userId } = new ConversationMemory(given);
  return { sessionId, userId };
}

/** What a conversation keeps after a change. */
async function keptAfter(change: (handle: typeof chat) => Promise<unknown>) {
  const handle = open().for('agent');
  await change(handle);
  const { createdAt, updatedAt, version, ...kept } = (await handle.loadRun('r')) ?? ({} as Partial<JsonObject>);
  return { kept, items: await handle.getMessages(), metadata: await handle.getMetadata() };
}

readsValuesOnce([
  ['new ConversationMemory', keptWith, options],
  [
    'ConversationMemory.for',
    (given) => ({ ...memory.for('agent', given) }),
    { sessionId: 's', userId: 'bob', agentId: 'a' },
  ],
  [
    'ConversationMemory.listSessions',
    (given) => memory.listSessions(given),
    { userId: 'alice', kind: 'agent', limit: 1 },
  ],
  [
    'ConversationMemory.listRuns',
    (given) => memory.listRuns(given),
    { ...ids, kind: 'agent', status: 'paused', limit: 1 },
  ],
  ['ConversationMemory.eraseUser', async (given) => (await memory.eraseUser('alice', given)).dryRun, { dryRun: true }],
  ['ConversationHandle.listRuns', (given) => chat.listRuns(given), { status: 'paused', sessionId: 's', limit: 1 }],
  ['ConversationHandle.listSessions', (given) => chat.listSessions(given), { allUsers: true, limit: 1 }],
  ['ConversationHandle.prepare', (given) => chat.prepare(given), { agentMetadata: { tools: ['search'] } }],
  ['ConversationHandle.save', (given) => keptAfter((handle) => handle.save(given)), run],
  [
    'ConversationHandle.setMetadata',
    (given) => keptAfter((handle) => handle.setMetadata(given)),
    { a: [1], b: { c: 2 } },
  ],
  ['ConversationHandle.heartbeat', (given) => chat.heartbeat(given), { runId: 'r', version: 1 }],
  ['asSession().addItems', (given) => keptAfter((handle) => handle.asSession().addItems(given)), [item, item]],
  [
    'new ModelSummariser',
    (given) => new ModelSummariser(given),
    { model, instructions: 'x', maxTokens: 200, maxWords: 5 },
  ],
  ['new ModelProfiler', (given) => new ModelProfiler(given), { model, instructions: 'x', maxTokens: 200 }],
]);
