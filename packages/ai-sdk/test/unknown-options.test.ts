import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { refusesUnknownOptions } from '@keepsake/testing';
import {
  aiSdkEmbedder,
  contextMiddleware,
  conversationChat,
  memoryMiddleware,
  workspaceMiddleware,
} from '../src/index.ts';

const memory = new MemoryManager({ stores: [new InMemoryStore({ name: 'facts' })] });
const runs = {} as never;
const conversations = { for: () => runs };

refusesUnknownOptions([
  ['aiSdkEmbedder', (options) => aiSdkEmbedder('a/b', options), { dimensions: 2, dimension: 2 }, 'dimensions'],
  ['contextMiddleware', (options) => contextMiddleware(options), { render: () => '', triger: 'x' }, 'trigger'],
  ['conversationChat', (options) => conversationChat(conversations, options), { kinds: 'team' }, 'kind'],
  [
    'messages of a chat',
    (options) => conversationChat(conversations).messages('a', options),
    { userID: 'alice' },
    'userId',
  ],
  ['workspaceMiddleware', (options) => workspaceMiddleware(runs, options), { onerror: () => {} }, 'onError'],
  ['memoryMiddleware', (options) => memoryMiddleware(memory, options), { conversationID: 'a' }, 'conversationId'],
]);
