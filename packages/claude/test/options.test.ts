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

const key = { projectKey: 'p', sessionId: 's' };
const entry = { type: 'user', uuid: 'u1' };
const throwing = Object.defineProperty({ ...key }, 'sessionId', {
  get() {
    throw new Error('The code of the caller fails.');
  },
  enumerable: true,
});

it.each<[string, unknown, string]>([
  ['null', null, '`key` must be an object'],
  ['a text', 'p', '`key` must be an object'],
  ['a key with a session that throws', throwing, '`key` throws an error'],
  ['a key without a project', { sessionId: 's' }, '`key.projectKey` is not a string'],
  ['a key whose project is a symbol', { ...key, projectKey: Symbol('p') }, '`key.projectKey` is not a string'],
  ['a key whose session is an object', { ...key, sessionId: { toString: 1 } }, '`key.sessionId` is not a string'],
  ['a key whose subpath is empty', { ...key, subpath: '' }, '`key.subpath` is empty'],
  ['a key with a misspelt subpath', { ...key, subPath: 'a' }, 'Did you mean `subpath`?'],
])('%s is refused by every method, before anything is written', async (_, malformed, message) => {
  const records = new InMemoryStore({ name: 'claude' });
  const sessions = new KeepsakeSessionStore({ store: records, foldSessionSummary });
  await sessions.append(key, [entry]);
  for (const call of [
    () => sessions.append(malformed as never, [entry]),
    () => sessions.load(malformed as never),
    () => sessions.delete(malformed as never),
    () => sessions.listSubkeys(malformed as never),
  ]) {
    await expect(call()).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(message),
    });
  }
  expect(await sessions.load(key)).toEqual([entry]);
});

it.each([null, undefined, 7, Symbol('p'), {}])('the sessions of the project %s are refused', async (project) => {
  const sessions = new KeepsakeSessionStore({ store, foldSessionSummary });
  const failure = { code: 'INVALID_ARGUMENT', message: '`projectKey` is not a string.' };
  await expect(sessions.listSessions(project as never)).rejects.toMatchObject(failure);
  await expect(sessions.listSessionSummaries(project as never)).rejects.toMatchObject(failure);
});

it('entries go to the session that the key named when it was passed, also while an append waits', async () => {
  const sessions = new KeepsakeSessionStore({ store: new InMemoryStore({ name: 'claude' }), foldSessionSummary });
  const changing = { ...key };
  const appends = [sessions.append(changing, [entry]), sessions.append(changing, [{ type: 'user', uuid: 'u2' }])];
  changing.sessionId = 'other';
  await Promise.all(appends);
  expect(await sessions.load(key)).toEqual([entry, { type: 'user', uuid: 'u2' }]);
  expect(await sessions.load(changing)).toBeNull();
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
