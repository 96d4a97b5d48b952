import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { refusesUnknownOptions } from '@keepsake/testing';
import { AgentTrigger, keepsake, workspace } from '../src/index.ts';

const memory = new MemoryManager({ stores: [new InMemoryStore({ name: 'facts' })] });
const runs = {} as never;

refusesUnknownOptions([
  ['keepsake', (options) => keepsake(memory, options), { conversationID: 'a' }, 'conversationId'],
  ['workspace', (options) => workspace(runs, options), { onerror: () => {} }, 'onError'],
  ['new AgentTrigger', (options) => new AgentTrigger(options), { name: 'a', when: () => true, wen: 1 }, 'when'],
]);
