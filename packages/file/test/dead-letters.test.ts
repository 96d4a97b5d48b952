import { join } from 'node:path';
import { OtherProcess, useDirectory } from '@keepsake/testing';
import { expect, it, onTestFinished } from 'vitest';
import { FileStore } from '../src/index.ts';
import { refusedMessages } from './programs/refused-messages.ts';

const directory = useDirectory();
const program = join(import.meta.dirname, 'programs/retry-letters.ts');
const TOPICS = Array.from({ length: 8 }, (_, n) => `topic ${n}`);

it('dead letters that three processes retry at once, one of which is killed, are learned once', async () => {
  let isRefused = true;
  const memory = refusedMessages(directory.path, (topic) => {
    if (isRefused && topic !== 'topic 99') throw new Error('The request was filtered.');
    return topic;
  });
  const chat = memory.conversation({ id: 'chat' });
  for (const topic of ['topic 99', ...TOPICS]) chat.observe({ role: 'user', content: `A word about ${topic}.` });
  await chat.endTurn();
  await memory.flush();
  isRefused = false;
  expect((await memory.deadLetters()).items).toHaveLength(TOPICS.length);

  const others = TOPICS.slice(0, 3).map(() => new OtherProcess(program, directory.path));
  onTestFinished(() => others.forEach((other) => void other.kill()));
  await Promise.all(others.map((other) => other.ready));
  for (const other of others) other.go();
  const [first, ...rest] = others as [OtherProcess, ...OtherProcess[]];
  // Any of them, because what one learns the others need not.
  while (others.every(({ lines }) => lines.length === 0)) await new Promise((resolve) => setTimeout(resolve, 1));
  first.kill();
  await Promise.all(rest.map((other) => other.end));

  expect(await memory.retryDeadLetters()).toMatchObject({ facts: { failed: 0 } });
  const facts = new FileStore({ directory: directory.path, name: 'facts', namespace: ['facts'] });
  const { items } = await facts.list();
  expect(items.map(({ content }) => content.replace(/,.*/, '')).sort()).toEqual([...TOPICS, 'topic 99']);
  expect((await memory.deadLetters()).items).toEqual([]);
});
