import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { refusesUnknownOptions } from '@keepsake/testing';
import { memoryRunner, recentHistory, workspaceRunner } from '../src/index.ts';

const memory = new MemoryManager({ stores: [new InMemoryStore({ name: 'facts' })] });
const runs = {} as never;

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
  ['recentHistory', (options) => recentHistory(options)([], []), { maxTurn: 3 }, 'maxTurns'],
]);
