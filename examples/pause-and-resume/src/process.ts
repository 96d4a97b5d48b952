/** One of the processes. Arguments: DIRECTORY STEP RUN. It only knows what is in the files. */
import { ConversationMemory } from '@keepsake/conversations';
import { FileStore } from '@keepsake/file';
import { approve, ask } from './agent.ts';

const [directory = '', step = '', runId = ''] = process.argv.slice(2);
const store = new FileStore({ directory, name: 'conversations' });
// If a process dies while it resumes a run, another process can take over after a minute.
const memory = new ConversationMemory({ store, fullSessionMemory: true, staleAfterMs: 60_000 });
const agent = memory.for('agent', { sessionId: 'support', userId: 'alice', agentId: 'refunds' });
const say = (text: string) => console.log(`process ${process.pid}: ${text}`);

if (step === 'ask') {
  await ask(agent, runId, 'A-17');
  say('the run waits for approval, and this process ends.');
}
if (step === 'approve') {
  const run = await agent.loadResumableRun(runId);
  if (run === undefined) {
    say('there is nothing to approve: the run has completed.');
  } else {
    say(`approved. "${run.pauseReason}"`);
    await approve(agent, run);
  }
}
if (step === 'history') {
  const { messageHistory } = await agent.prepare();
  for (const { role, content } of messageHistory.slice(-2)) say(`${role}: ${content}`);
}
