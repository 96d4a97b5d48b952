/**
 * Five ways to remember, in one store:
 *
 * npm start -w examples/five-ways
 *
 * Data is stored in .keepsake, or in the directory that you pass as an argument.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Message } from '@keepsake/core';
import { managerOf, openMemory } from './memory.ts';

const [directory = '.keepsake'] = process.argv.slice(2);
const file = join(directory, 'five-ways.db');
mkdirSync(directory, { recursive: true });
for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });

const said = [
  { role: 'user' as const, content: 'I moved to Lisbon in May. The total of invoice 17 is wrong.' },
  { role: 'assistant' as const, content: 'I have repaired it: it was rounded twice.' },
];

console.log('-- Monday: Alice talks to the guide');
{
  const { space, conversations, workspace, close } = openMemory(file);
  const alice = space.as({ principal: { id: 'alice' }, agent: 'guide' });
  await alice.session('monday').addItems(said);
  const manager = managerOf(alice);
  await manager.turn({ thread: 'monday', messages: said.slice(0, 1), answer: () => said.slice(1) });
  await manager.flush();
  const handle = conversations.for('agent', { sessionId: 'monday', userId: 'alice' });
  await handle.save({ status: 'completed', items: said });
  await workspace.run({ conversationId: 'monday' }).append({
    input: String(said[0]?.content),
    generatedItems: said.slice(1),
    terminal: { state: 'completed', hasFinalOutput: true },
  });
  await workspace.close();
  await close();
}

console.log('-- Tuesday: what another process knows');
const { space, conversations, workspace, close } = openMemory(file);
const alice = space.as({ principal: { id: 'alice' }, agent: 'guide' });
const bob = space.as({ principal: { id: 'bob' }, agent: 'guide' });
const question: Message = { role: 'user', content: 'Where did Alice move to?' };

const count = async (id: string) => (await alice.session(id).getItems()).length;
console.log(`session        monday: ${await count('monday')} messages, tuesday: ${await count('tuesday')}`);

const recalled = async (scope: typeof alice) => (await managerOf(scope).search(String(question.content)))[0]?.content;
console.log(`manager        ${question.content} ${await recalled(alice)}`);

const monday = conversations.for('agent', { sessionId: 'monday', userId: 'alice' });
const profile = await monday.userMemory?.get();
console.log(
  `conversations  ${(await monday.prepare()).contextInjection.split('\n').find((line) => /Alice/.test(line))}`,
);
console.log(`               profile: ${JSON.stringify(profile?.data)}`);

console.log(`namespaces     Bob asks the same: ${(await recalled(bob)) ?? 'nothing'}`);

const { instructions } = await workspace.read();
console.log(`workspace      ${instructions.split('\n').find((line) => line.startsWith('- Invoice'))}`);

const { memories, sessions } = await space.eraseUser({ id: 'alice' });
console.log(`-- Alice leaves: ${memories} memories and ${sessions} session are erased, and her conversations`);
console.log(`conversations  ${(await conversations.listSessions({ userId: 'alice' })).items.length} left`);
await workspace.close();
await close();
