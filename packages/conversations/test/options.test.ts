import type { RecordStore } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { describe, expect, it } from 'vitest';
import {
  asSession,
  ConversationMemory,
  type ConversationMemoryOptions,
  ModelProfiler,
  ModelSummariser,
} from '../src/index.ts';
import { ScriptedModel } from './support/scripted-model.ts';

const store = new InMemoryStore({ name: 'conversations' });
const model = new ScriptedModel({});
const refused = (code: string) => expect.objectContaining({ code });
const make = (options: object) => () => new ConversationMemory({ store, ...options } as ConversationMemoryOptions);

describe('options', () => {
  it.each([
    { summaryMemory: true },
    { userAnalysisMemory: true },
    { store: undefined },
    { store: { within() {} } },
    { fullSessionMemory: 'yes' },
    { load: { summary: 1 } },
    { load: { toolCalls: null } },
    { load: { lastTurns: -1 } },
    { load: { lastTurns: '2' } },
    { load: { lastMessages: 1.5 } },
    { load: { lastTurns: 2, lastMessages: 2 } },
    { debug: 'yes' },
    { load: null },
    { load: { lastTurn: 2 } },
    { lastTurns: 2 },
    { summaryMemory: 'yes' },
    { debug: { levels: 1 } },
    { debug: { level: 4 } },
    { debug: { level: 0 } },
    { debug: { logger: {} } },
    { model: 'gpt-5-mini' },
    { model, resolveModel: 'gpt-5-mini' },
    { staleAfterMs: '5' },
    { sessionId: '' },
    { sessionId: 'x'.repeat(257) },
    { userId: 'a\0' },
    { tenant: 7 },
    { userAnalysisMemory: { mode: 'merge' } },
    { userAnalysisMemory: { schema: { parse() {} } } },
    { userAnalysisMemory: { schema: null } },
    { model, userAnalysisMemory: { dynamic: 'yes' } },
    { model, userAnalysisMemory: { dynamic: null } },
    { model, userAnalysisMemory: { dynamic: { maxKeys: 0 } } },
    { model, userAnalysisMemory: { dynamic: { maxKeys: 101 } } },
    { model, userAnalysisMemory: { dynamic: true, schema: { '~standard': { validate() {} } } } },
    { summaryMemory: { summariser: {} } },
    { summaryMemory: { summariser: null } },
    { userAnalysisMemory: { profiler: {} } },
    { userAnalysisMemory: { profiler: null } },
  ])('that are invalid are refused: %o', (options) => {
    expect(make(options)).toThrow(refused('INVALID_ARGUMENT'));
  });

  it('that are missing are named in the error', () => {
    expect(make({ summaryMemory: true })).toThrow('`summaryMemory` needs a `model` or a `summariser`.');
    expect(make({ userAnalysisMemory: true })).toThrow('`userAnalysisMemory` needs a `model` or a `profiler`.');
  });

  it('accept a model, or a custom summariser and profiler', () => {
    make({ summaryMemory: true, userAnalysisMemory: true, model })();
    make({ summaryMemory: { summariser: { summarise: async () => 'x' } } })();
    make({ userAnalysisMemory: { profiler: { analyse: async () => ({}) } } })();
    expect(() => new ModelProfiler({ model, maxTokens: 99 })).toThrow(refused('INVALID_ARGUMENT'));
    expect(() => new ModelSummariser({ model, maxTokens: 99 })).toThrow(refused('INVALID_ARGUMENT'));
    expect(() => new ModelProfiler({} as { model: typeof model })).toThrow(refused('INVALID_ARGUMENT'));
  });

  it('accept the name of a model that resolveModel knows', async () => {
    const named = new ScriptedModel({ summary: 'By name.' });
    const names: string[] = [];
    const resolveModel = (name: string) => {
      names.push(name);
      return named;
    };
    const memory = make({ summaryMemory: true, model: 'gpt-5-mini', resolveModel })();
    expect(names).toEqual(['gpt-5-mini']);
    expect(make({ model: 'gpt-5-mini' })).toThrow('Pass resolveModel, too');
    const agent = memory.for('agent');
    await agent.save({ status: 'completed', items: [{ role: 'user', content: 'x' }] });
    expect((await agent.getSession())?.summary?.text).toBe('By name.');
    await agent.deleteSession();
  });

  it.each([1, 2, 3] as const)('debug logs what the level %i includes, without content', async (level) => {
    const lines: string[] = [];
    const logger = { debug: (line: string) => void lines.push(line) };
    const summariser = { summarise: async () => 'They like secrets.' };
    const options = { fullSessionMemory: true, summaryMemory: { summariser }, sessionId: `debug-${level}` };
    const agent = make({ ...options, debug: { level, logger } })().for('agent');
    const items = [{ role: 'user', content: 'secret' }];
    await agent.save({ runId: `run-${level}`, status: 'completed', items });
    await agent.prepare();
    await agent.loadResumableRun('none');
    const session = `keepsake: agent session "debug-${level}":`;
    expect(lines.filter((line) => line.startsWith(session))).toEqual([
      `${session} saved the run run-${level} (completed).`,
      `${session} prepared 1 item, the summary.`,
      ...(level === 3 ? [`${session} the run none can't be resumed.`] : []),
    ]);
    expect(lines.filter((line) => line.endsWith('updated the summary.'))).toHaveLength(level === 1 ? 0 : 1);
    expect(lines.join()).not.toContain('secret');
    await agent.deleteSession();
  });

  it('debug is off by default, and a failing logger does not matter', async () => {
    const logger = {
      debug() {
        throw new Error('full');
      },
    };
    for (const debug of [undefined, { logger }]) {
      const agent = make({ debug })().for('agent');
      await expect(agent.prepare()).resolves.toMatchObject({ messageHistory: [] });
    }
  });

  it.each(['consistency', 'enumerate', 'filter'])('a store without %s is refused', (missing) => {
    const capabilities = { ...store.capabilities, [missing]: missing === 'consistency' ? 'eventual' : false };
    const lesser = { within: () => lesser, capabilities } as unknown as RecordStore;
    expect(make({ store: lesser })).toThrow(refused('UNSUPPORTED'));
  });
});

describe('arguments', () => {
  const memory = new ConversationMemory({ store });
  const agent = memory.for('agent');

  it.each([
    () => memory.for('chat' as 'agent'),
    () => memory.for('agent', { sessionId: '' }),
    () => memory.for('agent', null as never),
    () => memory.for('agent', { userId: 7 as unknown as string }),
    () => asSession(agent),
  ])('of a handle are refused if they are invalid (%#)', (call) => {
    expect(call).toThrow(refused('INVALID_ARGUMENT'));
  });

  it.each([
    () => agent.save(undefined as never),
    () => agent.save({ status: 'done', items: [] } as never),
    () => agent.save({ status: 'paused', items: 'x' } as never),
    () => agent.save({ status: 'paused', items: [], runId: '' }),
    () => agent.save({ status: 'paused', items: [], version: -1 }),
    () => agent.save({ status: 'paused', items: [], checkpoint: new Date() as never }),
    () => agent.save({ status: 'paused', items: [{ at: Number.NaN }] }),
    () => agent.save({ status: 'paused', items: [], pauseReason: 1 as never }),
    () => agent.setMetadata([] as never),
    () => agent.setMetadata({ when: new Date() as never }),
    () => agent.prepare({ agentMetadata: 'x' as never }),
    () => agent.prepare(null as never),
    () => agent.getMessages('1' as never),
    () => agent.listSessions(null as never),
    () => agent.listSessions({ limit: 0 }),
    () => agent.save({ status: 'paused', items: [], runId: null as never }),
    () => agent.save({ status: 'paused', items: [], usage: 5 as never }),
    () => agent.loadRun(''),
    () => agent.findSession('x'.repeat(300)),
    () => memory.listSessions({ kind: 'chat' as never }),
    () => memory.listSessions({ userId: '' }),
    () => memory.listSessions({ userId: null as never }),
    () => memory.listSessions({ userId: 'alice', allUsers: true }),
    () => memory.listSessions({ allUsers: 1 as never }),
    () => agent.listSessions({ userId: null as never }),
    async () => memory.for('agent', { userId: null as never }),
    async () => memory.for('agent', { userId: 'alice', allUsers: true }),
    () => memory.listSessions({ allUsers: true, limit: 0 }),
    () => memory.listSessions({ allUsers: true, cursor: 'x' }),
  ])('of a call are refused before anything is written if they are invalid (%#)', async (call) => {
    await expect(call()).rejects.toEqual(refused('INVALID_ARGUMENT'));
    expect((await store.namespaces()).items).toEqual([]);
  });
});
