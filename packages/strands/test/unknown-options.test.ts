import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { refusesUnknownOptions } from '@keepsake/testing';
import { AgentTrigger, contextPlugin, conversationPlugin, KeepsakeStorage, keepsake, workspace } from '../src/index.ts';

const store = new InMemoryStore({ name: 'facts' });
const memory = new MemoryManager({ stores: [store] });
const runs = {} as never;
const conversations = { for: () => runs };

refusesUnknownOptions([
  ['keepsake', (options) => keepsake(memory, options), { conversationID: 'a' }, 'conversationId'],
  ['contextPlugin', (options) => contextPlugin(options), { render: () => '', triger: 'everyTurn' }, 'trigger'],
  ['conversationPlugin', (options) => conversationPlugin(conversations, options), { userID: 'a' }, 'userId'],
  ['workspace', (options) => workspace(runs, options), { onerror: () => {} }, 'onError'],
  ['new AgentTrigger', (options) => new AgentTrigger(options), { name: 'a', when: () => true, wen: 1 }, 'when'],
  ['new KeepsakeStorage', (options) => new KeepsakeStorage(options), { store, stores: 1 }, 'store'],
]);
