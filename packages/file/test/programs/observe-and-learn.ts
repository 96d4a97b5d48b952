/*
 * A process that has conversations and learns from them, until it is killed: takes a directory and a round. It says `ok`
 * once a turn has ended, and on the way recovers what the processes before it left.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { Extraction } from '../../../core/src/manager/extraction.ts';
import { say } from '../children/job.ts';
import { learningFrom } from './learning.ts';

const [directory = '', round = ''] = process.argv.slice(2);
const extraction = new Extraction({
  ...learningFrom(directory),
  maxBuffered: 10_000,
  deadlineMs: 2_000,
  report: ({ error }) => say('failed', String(error)),
});
const recovered = extraction.recover();
for (let turn = 0; turn < 200; turn++) {
  const chat = extraction.conversation(`chat ${turn % 2}`);
  const text = `round ${round} turn ${turn}`;
  chat.observe([
    { role: 'user', content: `question of ${text}` },
    { role: 'assistant', content: `answer of ${text}` },
  ]);
  await chat.endTurn();
  say('ok', text);
  await wait(turn % 7);
}
await recovered;
await extraction.flush();
say('done');
