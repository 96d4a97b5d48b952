import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { readsValuesOnce } from '@keepsake/testing';
import { aiSdkEmbedder, contextMiddleware, memoryMiddleware } from '../src/index.ts';

const memory = new MemoryManager({ stores: [new InMemoryStore({ name: 'facts' })] });
const logger = Object.create(console);
const context = { render: () => '', trigger: 'everyTurn', deadlineMs: 50, logger };

readsValuesOnce([
  ['aiSdkEmbedder', (options) => aiSdkEmbedder('a/b', options).id, { dimensions: 2 }],
  ['contextMiddleware', (options) => contextMiddleware(options).specificationVersion, context],
  ['memoryMiddleware', (options) => memoryMiddleware(memory, options).specificationVersion, { conversationId: 'a' }],
]);
