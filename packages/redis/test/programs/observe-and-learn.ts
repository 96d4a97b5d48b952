/*
 * A process that holds conversations and learns from them until it is killed. Takes a URL and a round. Prints `ok` after
 * each turn. Meanwhile, it recovers what earlier processes left unsaved.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { MemoryManager } from '@keepsake/core';
import { say } from '@keepsake/testing/say';
import { learningFrom } from './learning.ts';

const [url = '', round = ''] = process.argv.slice(2);
const { stores, outbox } = learningFrom(url);
const memory = new MemoryManager({
  stores: [...stores],
  outbox,
  // However busy the machine is.
  search: { deadlineMs: 60_000 },
  telemetry: { onStoreError: ({ error }) => say(`failed ${error}`) },
});
void memory.recover();
for (let turn = 0; ; turn++) {
  const chat = memory.conversation({ id: `chat ${turn % 2}` });
  const text = `round ${round} turn ${turn}`;
  chat.observe({ role: 'user', content: `question of ${text}` }, { role: 'assistant', content: `answer of ${text}` });
  await chat.endTurn();
  say(`ok ${text}`);
  await wait(turn % 7);
}
