import { join } from 'node:path';
import { type StartedWorker, startWorker } from '@keepsake/runtimes';
import { afterAll, beforeAll, expect, it } from 'vitest';

let worker: StartedWorker;

beforeAll(async () => {
  // Without modules of Node.js, which the package does not need there.
  worker = await startWorker(join(import.meta.dirname, '../src/worker.ts'), { USERS: 'UserMemory' });
});
afterAll(() => worker.stop());

function as(user: string) {
  return async (method: string, path: string, body?: string): Promise<unknown> => {
    const response = await worker.fetch(`http://memory${path}`, {
      method,
      headers: { 'x-user': user },
      ...(body !== undefined && { body }),
    });
    if (!response.ok) throw new Error(await response.text());
    return response.status === 204 ? undefined : response.json();
  };
}

it('a user finds what they told the worker, and no other user does', async () => {
  const [alice, bob] = [as('alice'), as('bob')];
  await alice('POST', '/facts', 'Allergic to hazelnuts');
  await bob('POST', '/facts', 'Allergic to cats');
  expect(await alice('GET', '/facts?q=allergic')).toEqual(['Allergic to hazelnuts']);
  expect(await bob('GET', '/facts?q=allergic')).toEqual(['Allergic to cats']);
});

it('a chat keeps its order, also of messages at the same time', async () => {
  const carol = as('carol');
  const messages = Array.from({ length: 20 }, (_, n) => `message ${n}`);
  await carol('POST', '/chat', 'first');
  await Promise.all(messages.map((text) => carol('POST', '/chat', text)));
  const history = (await carol('GET', '/chat')) as { content: string }[];
  expect(new Set(history.map(({ content }) => content))).toEqual(new Set(messages));
});

it('nothing is left of a user who wants to be forgotten', async () => {
  const dave = as('dave');
  await dave('POST', '/facts', 'Parked on level 3');
  await dave('POST', '/chat', 'Hello');
  await dave('DELETE', '/');
  expect(await dave('GET', '/facts?q=parked')).toEqual([]);
  expect(await dave('GET', '/chat')).toEqual([]);
});
