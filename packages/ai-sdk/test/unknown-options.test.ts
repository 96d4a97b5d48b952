import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { refusesUnknownOptions } from '@keepsake/testing';
import { memoryMiddleware } from '../src/index.ts';

const memory = new MemoryManager({ stores: [new InMemoryStore({ name: 'facts' })] });

refusesUnknownOptions([
  ['memoryMiddleware', (options) => memoryMiddleware(memory, options), { conversationID: 'a' }, 'conversationId'],
]);
