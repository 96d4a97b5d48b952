import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { refusesUnknownOptions } from '@keepsake/testing';
import { aiSdkEmbedder, contextMiddleware, memoryMiddleware } from '../src/index.ts';

const memory = new MemoryManager({ stores: [new InMemoryStore({ name: 'facts' })] });

refusesUnknownOptions([
  ['aiSdkEmbedder', (options) => aiSdkEmbedder('a/b', options), { dimensions: 2, dimension: 2 }, 'dimensions'],
  ['contextMiddleware', (options) => contextMiddleware(options), { render: () => '', triger: 'x' }, 'trigger'],
  ['memoryMiddleware', (options) => memoryMiddleware(memory, options), { conversationID: 'a' }, 'conversationId'],
]);
