/** One of the processes. Arguments: DIRECTORY STEP SESSION. It only knows what is in the files. */
import { ConversationMemory } from '@keepsake/conversations';
import { type Message, messageText } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import { conversationRunner } from '@keepsake/openai-agents';
import { type AgentInputItem, setTracingDisabled } from '@openai/agents';
import { complaints } from './agent.ts';

setTracingDisabled(true);
const [directory = '', step = '', sessionId = ''] = process.argv.slice(2);
const store = new FileStore({ directory, name: 'conversations' });
// If a process dies while it resumes a run, another process can take over after a minute.
const memory = new ConversationMemory({ store, fullSessionMemory: true, staleAfterMs: 60_000 });
const runner = conversationRunner({ memory });
const alice = { sessionId, userId: 'alice' };
const say = (text: string) => console.log(`process ${process.pid}: ${text}`);

if (step === 'ask') {
  await runner.run(complaints(), 'Order A-17 came broken. I want my money back.', alice);
  say('the run waits for approval, and this process ends.');
}
if (step === 'approve') {
  const waiting = await runner.waiting(alice);
  for (const { tool, arguments: input } of waiting?.approvals ?? []) say(`approved: ${tool} ${input}`);
  const result = await runner.resume(complaints(), { ...alice, decisions: true });
  say(result === undefined ? 'there is nothing to approve: the run has completed.' : `${result.finalOutput}`);
}
if (step === 'history') {
  for (const item of await memory.for<AgentInputItem>('agent', alice).getMessages()) {
    say('role' in item ? `${item.role}: ${messageText(item as Message)}` : `(${item.type})`);
  }
}
await memory.close();
await store.close();
