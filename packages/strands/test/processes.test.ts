import { join } from 'node:path';
import { runProgram, talk, useDirectory } from '@keepsake/testing';
import type { MessageData } from '@strands-agents/sdk';
import { expect, it } from 'vitest';
import { openMemory, say } from './support/agent-memory.ts';

const SAYS = 'My sister Runa has moved to Tromsø.';
const QUESTION = 'Where does Runa live now?';
const program = (name: string) => join(import.meta.dirname, 'programs', name);
const directory = useDirectory();

it('an agent recalls what was said in a process that was killed in a tool or after its answer', async () => {
  const { signal, stderr } = await runProgram(program('talk-and-die.ts'), [directory.path, SAYS]);
  expect([signal, stderr]).toEqual(['SIGKILL', '']);
  for (const place of ['in a tool', 'after the answer']) {
    const { memory, close } = await openMemory(join(directory.path, place));
    expectRecalled(await say(memory, QUESTION, 'In Tromsø.'));
    await close();
  }
});

it('an agent recalls what was said to another that has ended', async () => {
  const first = await openMemory(directory.path);
  expect(await say(first.memory, SAYS, 'How nice.')).toHaveLength(1);
  await first.close();
  const second = await openMemory(directory.path);
  expectRecalled(await say(second.memory, QUESTION, 'In Tromsø.'));
  await second.close();
});

it('an agent recalls in a second process what was said in the first', { tags: ['nightly'] }, async () => {
  expect(await talk<MessageData>(program('talk.ts'), directory.path, SAYS, 'How nice.')).toHaveLength(1);
  expectRecalled(await talk<MessageData>(program('talk.ts'), directory.path, QUESTION, 'In Tromsø.'));
});

function expectRecalled([question, ...more]: readonly MessageData[]): void {
  expect(more).toEqual([]);
  expect(question?.content[0]).toEqual({ text: QUESTION });
  expect(JSON.stringify(question?.content[1])).toContain(SAYS);
}
