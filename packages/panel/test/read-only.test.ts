import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpenedConfig } from '@keepsake/config';
import { FileSessionStore, FileStore } from '@keepsake/file';
import { mulberry32 } from '@keepsake/testing/mulberry32';
import { localDirectory } from '@keepsake/workspace';
import { expect, it, onTestFinished } from 'vitest';
import { createPanel } from '../src/index.ts';
import { CSRF_HEADER, PATHS } from '../src/protocol.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const VALUES = [
  'alice',
  'a*',
  'agent:guide:u:alice',
  'seat',
  '1',
  '0',
  '-1',
  'true',
  'user',
  '',
  '%',
  '{"',
  '2026-01-01',
  'chat',
  '‮',
];
const NAMES = [
  'namespace',
  'parent',
  'id',
  'search',
  'descendants',
  'kind',
  'limit',
  'cursor',
  'question',
  'user',
  'agent',
  'sessionId',
  'runId',
  'position',
  'path',
  'type',
  'shared',
  'confirm',
  'ifVersion',
  'content',
  'buried',
  'token',
  'select',
  'records',
  'versionId',
  'asOf',
  'closed',
];

it('no request changes anything through a read-only panel', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'keepsake-panel-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const config = new OpenedConfig(
    {
      memory: () => new FileStore({ directory: join(directory, 'memory'), name: 'memory', durability: 'os' }),
      sessions: () => new FileSessionStore({ directory: join(directory, 'memory'), durability: 'os' }),
      workspace: () => localDirectory(join(directory, 'workspace')),
      space: { agents: { guide: {} } },
      conversations: { fullSessionMemory: true },
    },
    { path: join(directory, 'memory') },
  );
  onTestFinished(() => config.close());
  const space = await config.space();
  for (const id of ['alice', 'a*']) {
    const scope = space.as({ principal: { id }, agent: 'guide' });
    await scope.memory.put({ id: 'seat', content: `${id} prefers aisle seats` });
    await scope.session('s1').addItems([{ role: 'user', content: 'hello' }]);
    const chat = (await config.conversations()).for('agent', { sessionId: 'chat', userId: 'alice' });
    await chat.save({ status: 'paused', items: [{ role: 'user', content: 'hello' }] });
  }
  const before = contentsOf(directory);
  const panel = createPanel(config, { readOnly: true });
  const writable = createPanel(config);
  const status = await writable.fetch(new Request(`http://localhost/${PATHS.status}`));
  // Even with the token of another panel, which a read-only one never tells.
  const { csrfToken } = (await status.json()) as { csrfToken: string };
  const seed = Date.now() % 2 ** 31;
  const random = mulberry32(seed);
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const some = () =>
    Object.fromEntries(Array.from({ length: Math.floor(random() * 5) }, () => [one(NAMES), one(VALUES)]));
  const full = { id: 'alice', type: 'user', shared: true, confirm: 'alice' };
  const seat = { namespace: 'agent:guide:u:alice', id: 'seat', ifVersion: 1 };
  const statuses = new Map<number, number>();
  for (let round = 0; round < 3_000; round++) {
    const [method, path] = [one(METHODS), one([...Object.values(PATHS), '', 'app.js', 'api/none'])];
    const query = new URLSearchParams(random() < 0.3 ? {} : some());
    const body = JSON.stringify(
      one([full, seat, { ...seat, content: 'x' }, { ...seat, buried: true }, some(), { select: some() }]),
    );
    const answer = await panel.fetch(
      new Request(`http://localhost/${path}?${query}`, {
        method,
        headers: { 'content-type': 'application/json', [CSRF_HEADER]: csrfToken },
        ...(method === 'GET' || method === 'HEAD' ? {} : { body }),
      }),
    );
    await answer.arrayBuffer();
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    expect([answer.status, seed, method, path, String(query)]).not.toContain(500);
    if (method !== 'GET' && method !== 'HEAD') expect(answer.ok).toBe(false);
  }
  for (const status of [200, 400, 403, 405]) expect(statuses.get(status)).toBeGreaterThan(10);
  expect(contentsOf(directory)).toEqual(before);
});

/** The digests of the files that have a content: locks are empty. Without the index, which listing sessions brings up to date. */
function contentsOf(directory: string): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const contents = files.map(({ parentPath, name }) => {
    const path = join(parentPath, name);
    const content = readFileSync(path);
    return [path, content.length === 0 ? '' : createHash('sha256').update(content).digest('hex')] as const;
  });
  return Object.fromEntries(contents.filter(([path, content]) => content !== '' && !path.includes('/.index/')));
}
