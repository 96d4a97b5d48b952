import { InMemoryStore } from '@keepsake/in-memory';
import { refusesUnknownOptions } from '@keepsake/testing';
import { ConversationMemory, ModelProfiler, ModelSummariser } from '../src/index.ts';
import { ScriptedModel } from './support/scripted-model.ts';

const store = new InMemoryStore({ name: 'conversations' });
const model = new ScriptedModel({});
const memory = new ConversationMemory({ store });
const chat = memory.for('agent');
const open = (options: object) => new ConversationMemory({ store, model, ...options });

refusesUnknownOptions([
  ['new ConversationMemory', (options) => new ConversationMemory(options), { store, tennant: 'a' }, 'tenant'],
  [
    'new ConversationMemory',
    (options) => new ConversationMemory(options),
    { store, full_session_memory: true },
    'fullSessionMemory',
  ],
  ['userAnalysisMemory.dynamic', (dynamic) => open({ userAnalysisMemory: { dynamic } }), { maxKey: 3 }, 'maxKeys'],
  ['userAnalysisMemory', (userAnalysisMemory) => open({ userAnalysisMemory }), { shema: 1 }, 'schema'],
  ['summaryMemory', (summaryMemory) => open({ summaryMemory }), { sumariser: 1 }, 'summariser'],
  ['load', (load) => open({ load }), { lastTurn: 2 }, 'lastTurns'],
  ['debug', (debug) => open({ debug }), { levels: 2 }, 'level'],
  ['ConversationMemory.for', (options) => memory.for('agent', options), { userID: 'alice' }, 'userId'],
  ['ConversationMemory.listSessions', (options) => memory.listSessions(options), { userID: 'alice' }, 'userId'],
  ['ConversationMemory.listRuns', (options) => memory.listRuns(options), { statuses: 'paused' }, 'status'],
  ['ConversationHandle.listRuns', (options) => chat.listRuns(options), { sessionID: 's' }, 'sessionId'],
  ['ConversationMemory.eraseUser', (options) => memory.eraseUser('alice', options), { dryrun: true }, 'dryRun'],
  ['ConversationHandle.prepare', (options) => chat.prepare(options), { agentMetaData: {} }, 'agentMetadata'],
  ['ConversationHandle.begin', (options) => chat.begin({ items: [] }, options), { onclose: () => {} }, 'onClose'],
  ['ConversationHandle.save', (run) => chat.save(run), { status: 'paused', items: [], checkPoint: 1 }, 'checkpoint'],
  ['ConversationHandle.listSessions', (options) => chat.listSessions(options), { limits: 1 }, 'limit'],
  ['new ModelProfiler', (options) => new ModelProfiler(options), { model, maxToken: 1 }, 'maxTokens'],
  ['new ModelSummariser', (options) => new ModelSummariser(options), { model, maxWord: 1 }, 'maxWords'],
]);
