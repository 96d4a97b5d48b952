import { ConversationMemory } from '@keepsake/conversations';
import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { refusesUnknownOptions } from '@keepsake/testing';
import { Agent } from '@openai/agents';
import { conversationRunner, memoryRunner, recentHistory, workspaceRunner } from '../src/index.ts';

const memory = new MemoryManager({ stores: [new InMemoryStore({ name: 'facts' })] });
const runs = {} as never;
const conversations = new ConversationMemory({ store: new InMemoryStore({ name: 'chats' }) });
const runner = conversationRunner({ memory: conversations });
const agent = new Agent({ name: 'Guide' });

refusesUnknownOptions([
  ['memoryRunner', (options) => memoryRunner(memory, options), { conversationID: 'a' }, 'conversationId'],
  ['memoryRunner, of the SDK', (options) => memoryRunner(memory, options), { groupID: 'a' }, 'groupId'],
  [
    'memoryRunner, in injections',
    (options) => memoryRunner(memory, { injections: [options] }),
    { render: () => '', triger: 'everyTurn' },
    'trigger',
  ],
  ['workspaceRunner', (options) => workspaceRunner(runs, options), { onerror: () => {} }, 'onError'],
  ['conversationRunner', conversationRunner, { memory: conversations, kinds: 'team' }, 'kind'],
  ['a run in a conversation', (options) => runner.run(agent, 'Hi', options), { sessionID: 'a' }, 'sessionId'],
  ['resume', (options) => runner.resume(agent, options), { decision: true }, 'decisions'],
  ['waiting', (options) => runner.waiting(options), { runID: 'a' }, 'runId'],
  ['recentHistory', (options) => recentHistory(options)([], []), { maxTurn: 3 }, 'maxTurns'],
]);
