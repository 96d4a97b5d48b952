/**
 * A chat that goes on after its server was killed, and a profile that another chat knows:
 *
 * npm start -w examples/next-chat
 *
 * Data is stored in .keepsake/next-chat.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';

const headers = { 'x-user': 'alice' };

async function start(): Promise<{ readonly server: ChildProcess; readonly url: string }> {
  const program = fileURLToPath(new URL('server.ts', import.meta.url));
  const server = spawn(process.execPath, [...process.execArgv, program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [url] = (await once(createInterface(server.stdout), 'line')) as [string];
  return { server, url };
}

/** Sends a message, or a changed one, as `useChat` does. */
async function send(url: string, chatId: string, message: UIMessage): Promise<UIMessage | undefined> {
  const transport = new DefaultChatTransport({ api: `${url}/api/chat`, headers });
  const stream = await transport.sendMessages({
    chatId,
    messages: [message],
    trigger: 'submit-message',
    messageId: undefined,
    abortSignal: undefined,
  });
  let answer: UIMessage | undefined;
  const begun = message.role === 'assistant' ? { message } : {};
  for await (const state of readUIMessageStream({ stream, ...begun })) answer = state;
  return answer;
}

const say = (text: string): UIMessage => ({ id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text }] });

function show(who: string, message: UIMessage | undefined): void {
  for (const part of message?.parts ?? []) {
    if (part.type === 'text') console.log(`${who}: ${part.text}`);
    if (part.type === 'tool-refund') console.log(`${who}: [refund: ${part.state}]`);
  }
}

rmSync('.keepsake/next-chat', { recursive: true, force: true });
const first = await start();
console.log('> I am Alice. Please refund A17.');
show('Agent', await send(first.url, 'order', say('I am Alice. Please refund A17.')));
first.server.kill('SIGKILL');
console.log('(The server is killed. Another one starts.)');

const second = await start();
const restored: UIMessage[] = await (await fetch(`${second.url}/api/chat/order`, { headers })).json();
for (const message of restored) show(message.role === 'user' ? 'Restored, user' : 'Restored, agent', message);
const waiting = restored.at(-1) as UIMessage;
for (const part of waiting.parts) {
  if (part.type === 'tool-refund' && part.state === 'approval-requested') {
    Object.assign(part, { state: 'approval-responded', approval: { ...part.approval, approved: true } });
  }
}
console.log('> (approves)');
show('Agent', await send(second.url, 'order', waiting));
console.log('> Hello again! (in another chat)');
show('Agent', await send(second.url, 'hello', say('Hello again!')));
second.server.stdin?.end();
await once(second.server, 'exit');
