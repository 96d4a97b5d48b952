import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { runProgram, useDirectory } from '@keepsake/testing';
import { saidIn, TestChat } from '@keepsake/testing/test-chat';
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  readUIMessageStream,
  type UIMessage,
} from 'ai';
import { afterEach, expect, it } from 'vitest';

const directory = useDirectory();
const home = join(import.meta.dirname, '..');

const servers: ChildProcess[] = [];
// Before the directory is removed, to which a server may still write.
afterEach(async () => {
  for (const server of servers.splice(0)) await kill(server);
});

async function kill(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  server.kill('SIGKILL');
  await exited;
}

/** Starts the server of the routes in a process of its own. */
async function startServer() {
  const environment = { ...process.env, KEEPSAKE_DIRECTORY: directory.path, AI_GATEWAY_API_KEY: '' };
  const program = ['--conditions=@keepsake/source', join(home, 'src/server.ts')];
  const server = spawn(process.execPath, program, { env: environment, stdio: ['pipe', 'pipe', 'inherit'] });
  servers.push(server);
  const [url] = (await once(createInterface(server.stdout), 'line')) as [string];
  return { url, kill: () => kill(server) };
}

const load = async (url: string, id: string, user = 'alice') =>
  fetch(`${url}/api/chat/${encodeURIComponent(id)}`, { headers: { 'x-user': user } });

/** A browser with the chat open. */
async function open(url: string, id: string) {
  const messages = (await (await load(url, id)).json()) as UIMessage[];
  const transport = new DefaultChatTransport({ api: `${url}/api/chat`, headers: { 'x-user': 'alice' } });
  const sendAutomaticallyWhen = lastAssistantMessageIsCompleteWithApprovalResponses;
  return new TestChat({ id, messages, transport, sendAutomaticallyWhen });
}

// By day, the program does the same without a browser: see below.
it('a chat survives its server, an approval is given to another one, and another chat knows the profile', {
  tags: ['nightly'],
}, async () => {
  const first = await startServer();
  const before = await open(first.url, 'order');
  await before.sendMessage({ text: 'I am Alice. Please refund A17.' });
  expect(before.said.at(-1)).toBe('assistant: tool-refund approval-requested');
  await first.kill();

  const second = await startServer();
  const after = await open(second.url, 'order');
  expect(after.messages).toEqual(before.messages);
  const part = after.messages.at(-1)?.parts.find((one) => one.type === 'tool-refund');
  if (part?.type !== 'tool-refund' || part.state !== 'approval-requested') throw new Error('The tool must wait.');
  await after.addToolApprovalResponse({ id: part.approval.id, approved: true });
  await expect.poll(() => after.status).toBe('ready');
  expect(after.said).toEqual([
    'user: I am Alice. Please refund A17.',
    'assistant: tool-refund output-available, The money for order A17 is on its way.',
  ]);
  expect((await open(second.url, 'order')).messages).toEqual(after.messages);

  const other = await open(second.url, 'hello');
  await other.sendMessage({ text: 'Hello!' });
  expect(other.said).toEqual(['user: Hello!', 'assistant: How can I help, Alice?']);
  await other.regenerate();
  expect((await open(second.url, 'hello')).messages).toEqual(other.messages);
  expect(other.messages).toHaveLength(2);
});

it('the chat of another user is refused, as is what is no message, and an answer is kept if its client disconnects', async () => {
  const { url } = await startServer();
  await refusesOthers(url);
  await keepsAnswers(url);
});

async function refusesOthers(url: string): Promise<void> {
  await (await open(url, 'a/b')).sendMessage({ text: 'Hello!' });
  expect((await load(url, 'a/b')).status).toBe(200);
  expect((await load(url, 'a/b', 'bob')).status).toBe(400);
  const post = (body: unknown, user = 'alice') =>
    fetch(`${url}/api/chat`, { method: 'POST', headers: { 'x-user': user }, body: JSON.stringify(body) });
  expect((await post({ id: 'a/b', messages: [] })).status).toBe(400);
  const empty = await fetch(`${url}/api/chat`, { method: 'POST' });
  expect([empty.status, await empty.text()]).toEqual([400, 'The body must be JSON.']);
  const message = { id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] };
  expect((await post({ id: 'a/b', message }, 'bob')).status).toBe(400);
  expect(saidIn(await (await load(url, 'a/b')).json())).toEqual(['user: Hello!', 'assistant: How can I help?']);
}

async function keepsAnswers(url: string): Promise<void> {
  const transport = new DefaultChatTransport({ api: `${url}/api/chat`, headers: { 'x-user': 'alice' } });
  const abort = new AbortController();
  const message: UIMessage = { id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hello!' }] };
  const stream = await transport.sendMessages({
    chatId: 'left',
    messages: [message],
    trigger: 'submit-message',
    messageId: undefined,
    abortSignal: abort.signal,
  });
  for await (const _ of readUIMessageStream({ stream, onError: () => {} })) abort.abort();
  const said = async () => saidIn(await (await load(url, 'left')).json());
  await expect.poll(said).toEqual(['user: Hello!', 'assistant: How can I help?']);
}

it('the program prints the output in the README', async () => {
  const environment = { AI_GATEWAY_API_KEY: undefined, KEEPSAKE_DIRECTORY: undefined };
  const { stdout, stderr, status } = await runProgram(join(home, 'src/main.ts'), [], {
    cwd: directory.path,
    environment,
  });
  expect([status, stderr]).toEqual([0, '']);
  const [, shown] = /```text\n(.*?)```/s.exec(readFileSync(join(home, 'README.md'), 'utf8')) ?? [];
  expect(stdout).toBe(shown);
});
