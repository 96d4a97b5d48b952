import { OpenedConfig, type SpaceConfig } from '@keepsake/config';
import type { RecordStore } from '@keepsake/core';
import { InMemorySessionStore, InMemoryStore } from '@keepsake/in-memory';
import { expect, it, vi } from 'vitest';
import { createPanel } from '../src/index.ts';
import { type Health, PATHS } from '../src/protocol.ts';
import { Client } from './support/client.ts';

function healthWith(memory: () => RecordStore | Promise<RecordStore>, space?: SpaceConfig): Promise<Health> {
  const config = new OpenedConfig({ memory, sessions: () => new InMemorySessionStore(), space }, { path: 'the test' });
  return new Client(createPanel(config)).get<Health>(PATHS.health);
}

const stateOf = ({ checks }: Health) => checks.map(({ part, ok, error }) => [part, ok, error?.code]);

it('health tells which parts fail, and what the others have', async () => {
  const health = await healthWith(() => {
    const store = new InMemoryStore({ name: 'memory' });
    return Object.defineProperty(store, 'list', { value: () => Promise.reject(new Error('The disk is gone')) });
  });
  expect(stateOf(health)).toEqual([
    ['memory', false, 'INTERNAL'],
    ['sessions', true, undefined],
    ['conversations', true, undefined],
    ['space', true, undefined],
  ]);
  expect(health.counts).toMatchObject({ records: 0, sessions: 0 });
});

it('health calls a part slow that takes more than a second', async () => {
  vi.useFakeTimers();
  try {
    const store = new InMemoryStore({ name: 'memory' });
    const list = store.list.bind(store);
    const slowly: typeof list = async (options) => {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      return list(options);
    };
    const answer = healthWith(() => Object.defineProperty(store, 'list', { value: slowly }));
    await vi.advanceTimersByTimeAsync(60_000);
    const [memory, sessions] = (await answer).checks;
    expect(memory).toMatchObject({ part: 'memory', ok: true, slow: true });
    expect(sessions).toMatchObject({ part: 'sessions', ok: true, slow: false });
  } finally {
    vi.useRealTimers();
  }
});

it('health counts memories though the space is misconfigured', async () => {
  const memory = new InMemoryStore({ name: 'memory' });
  for (const namespace of [[], ['notes'], ['notes', 'old']]) await memory.within(namespace).add('A note');
  const agents = { guide: { namespace: '{unknown}' } };
  const health = await healthWith(() => memory, { agents });
  expect(stateOf(health)).toContainEqual(['space', false, 'INVALID_ARGUMENT']);
  expect(health.counts).toMatchObject({ namespaces: 3, records: 3 });
});

it('health answers though the memory never opens', async () => {
  vi.useFakeTimers();
  try {
    const answer = healthWith(() => new Promise(() => {}));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(stateOf(await answer)).toEqual([
      ['memory', false, 'TIMEOUT'],
      ['sessions', true, undefined],
      ['conversations', false, 'TIMEOUT'],
      ['space', false, 'TIMEOUT'],
    ]);
  } finally {
    vi.useRealTimers();
  }
});
