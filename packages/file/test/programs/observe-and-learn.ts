/*
 * Has conversations and learns from them until it is killed. Arguments: a directory and the number of the round. Prints
 * `ok` after each turn, and meanwhile recovers the turns that earlier processes left in the outbox.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { MemoryManager } from '@keepsake/core';
import { say } from '@keepsake/testing/say';
import { learningFrom } from './learning.ts';

const [directory = '', round = ''] = process.argv.slice(2);
const memory = new MemoryManager({
  ...learningFrom(directory),
  // However busy the machine is.
  search: { deadlineMs: 60_000 },
  telemetry: { onStoreError: ({ error }) => say('failed', String(error)) },
});
void memory.recover();
for (let turn = 0; ; turn++) {
  const chat = memory.conversation({ id: `chat ${turn % 2}` });
  const text = `round ${round} turn ${turn}`;
  chat.observe({ role: 'user', content: `question of ${text}` }, { role: 'assistant', content: `answer of ${text}` });
  await chat.endTurn();
  say('ok', text);
  await wait(turn % 7);
}
