/** One of the processes. Arguments: DIRECTORY STEP. It only knows what is in the files. */
import { FileStore } from '@keepsake/file';
import { KeepsakeSaver, KeepsakeStore } from '@keepsake/langgraph';
import { Command } from '@langchain/langgraph';
import { refundAgent } from './agent.ts';

const [directory = '', step = ''] = process.argv.slice(2);
const files = new FileStore({ directory, name: 'langgraph' });
const store = new KeepsakeStore({ store: files.within(['memory']), fields: ['text'] });
const agent = refundAgent(new KeepsakeSaver({ store: files.within(['threads']) }), store);
const thread = { configurable: { thread_id: 'refund-17' } };
const say = (text: unknown) => console.log(`process ${process.pid}: ${text}`);

if (step === 'ask') {
  await agent.invoke({ user: 'runa', order: 'A-17' }, thread);
  const { tasks } = await agent.getState(thread);
  say(`the graph waits: "${tasks[0]?.interrupts[0]?.value.question}" This process ends.`);
}
if (step === 'approve') {
  const { answer } = await agent.invoke(new Command({ resume: 'by bank transfer' }), thread);
  say(answer);
}
if (step === 'remember') {
  const [found] = await store.search(['u'], { query: 'How does Runa get a refund?' });
  say(`another thread knows: ${found?.value.text}.`);
  const steps: number[] = [];
  for await (const { metadata } of agent.getStateHistory(thread)) steps.push(metadata?.step ?? 0);
  say(`the thread has the steps ${steps.reverse().join(', ')}.`);
}
