import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { redirection, startGateway } from '@keepsake/emulators';
import { startPostgres } from '@keepsake/services';
import { startProgram } from '@keepsake/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { migrate } from '../src/database.ts';

it('two servers of the route know what a user said in any chat, and nothing of others', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  await migrate(postgres.url);
  const gateway = await startGateway((messages) => `I read: ${JSON.stringify(messages)}`);
  onTestFinished(() => gateway.stop());
  vi.stubEnv('DATABASE_URL', postgres.url);
  vi.stubEnv('CRON_SECRET', 'of the job');
  vi.stubEnv('AI_GATEWAY_API_KEY', gateway.apiKey);
  vi.stubEnv('NODE_OPTIONS', `--import=${redirection('https://ai-gateway.vercel.sh', gateway.url)}`);
  onTestFinished(() => void vi.unstubAllEnvs());

  const servers = await Promise.all([0, 1].map(start));
  const [one, two] = servers as [string, string];
  await ask(one, 'alice', 'monday', 'I am allergic to saffron.');
  await ask(two, 'bob', 'monday', 'I am allergic to pollen.');
  // What is said is learned after the answer.
  await expect.poll(() => ask(two, 'alice', 'friday', 'What am I allergic to?')).toContain('to saffron');
  await expect.poll(() => ask(one, 'bob', 'friday', 'What am I allergic to?')).toContain('to pollen');
  expect(await ask(one, 'bob', 'saturday', 'What am I allergic to?')).not.toContain('saffron');
  const recover = (authorization: string) => fetch(`${one}/api/recover`, { headers: { authorization } });
  expect((await recover('Bearer guessed')).status).toBe(401);
  const recovered = await recover('Bearer of the job');
  expect(await recovered.json()).toMatchObject({ chats: { failed: 0 } });
});

async function start(): Promise<string> {
  const child = startProgram(join(import.meta.dirname, 'serve-route.ts'));
  const [url] = await once(createInterface(child.stdout), 'line');
  return url;
}

/** Asks as `useChat` does, and returns the text of the answer. */
async function ask(url: string, user: string, id: string, text: string): Promise<string> {
  const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text }] }];
  const headers = { 'content-type': 'application/json', 'x-user': user };
  const response = await fetch(`${url}/api/chat`, { method: 'POST', headers, body: JSON.stringify({ id, messages }) });
  expect(response.status).toBe(200);
  const texts = (await response.text()).matchAll(/^data: (\{.*\})$/gm);
  return [...texts].map(([, chunk = '']) => JSON.parse(chunk).delta ?? '').join('');
}
