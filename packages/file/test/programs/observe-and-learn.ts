/*
 * A process that has conversations and learns from them, until it is killed: takes a directory and a round. It says `ok`
 * once a turn has ended, and on the way recovers what the processes before it left.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { MemoryManager } from '@keepsake/core';
import { say } from '../children/job.ts';
import { learningFrom } from './learning.ts';

const [directory = '', round = ''] = process.argv.slice(2);
const memory = new MemoryManager({
  ...learningFrom(directory),
  onStoreError: ({ error }) => say('failed', String(error)),
});
const recovered = memory.recover();
for (let turn = 0; turn < 200; turn++) {
  const chat = memory.conversation({ id: `chat ${turn % 2}` });
  const text = `round ${round} turn ${turn}`;
  chat.observe({ role: 'user', content: `question of ${text}` }, { role: 'assistant', content: `answer of ${text}` });
  await chat.endTurn();
  say('ok', text);
  await wait(turn % 7);
}
await recovered;
await memory.flush();
say('done');
