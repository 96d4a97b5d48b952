import { foldSessionSummary } from '@anthropic-ai/claude-agent-sdk';
import { InMemoryStore } from '@keepsake/in-memory';
import { refusesUnknownOptions } from '@keepsake/testing';
import { recordWorkspace } from '@keepsake/workspace';
import { expect, it } from 'vitest';
import { KeepsakeMemoryTool, KeepsakeSessionStore } from '../src/index.ts';

const store = new InMemoryStore({ name: 'claude' });
const workspace = recordWorkspace(store);

refusesUnknownOptions([
  [
    'new KeepsakeSessionStore',
    (options) => new KeepsakeSessionStore(options),
    { store, foldSessionSummary, foldSessionSummarys: 1 },
    'foldSessionSummary',
  ],
  ['new KeepsakeMemoryTool', (options) => new KeepsakeMemoryTool(options), { workspace, work_space: 1 }, 'workspace'],
]);

it.each<[string, () => unknown]>([
  ['`store` is missing', () => new KeepsakeSessionStore({ foldSessionSummary } as never)],
  ['`foldSessionSummary` is missing', () => new KeepsakeSessionStore({ store } as never)],
  [
    '`foldSessionSummary` must be a function',
    () => new KeepsakeSessionStore({ store, foldSessionSummary: 1 } as never),
  ],
  ['`workspace` is missing', () => new KeepsakeMemoryTool({} as never)],
  ['`workspace` must be an object with read()', () => new KeepsakeMemoryTool({ workspace: store as never })],
])('says that %s', (message, call) => {
  expect(call).toThrow(
    expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(message) }),
  );
});

it('a store that is eventually consistent is refused', () => {
  const capabilities = { ...store.capabilities, consistency: 'eventual' as const };
  const eventual = new Proxy(store, {
    get: (of, name) => (name === 'capabilities' ? capabilities : Reflect.get(of, name)),
  });
  expect(() => new KeepsakeSessionStore({ store: eventual, foldSessionSummary })).toThrow(
    expect.objectContaining({ code: 'UNSUPPORTED' }),
  );
});
