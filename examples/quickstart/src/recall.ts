/** The second process: it answers from the files alone. */
import { MemoryManager, recentItems } from '@keepsake/core';
import { FileSession, FileStore } from '@keepsake/file';
import { bold, dim, endPlainly, indented } from './chat/terminal.ts';

endPlainly();

const [directory = '.keepsake', showMemory, ...questions] = process.argv.slice(2);

const memory = new FileStore({ directory, name: 'demo', namespace: ['demo'] });
const manager = new MemoryManager({ stores: [memory] });
console.log(`${dim(`process ${process.pid}`)}  knows only what is in ${directory}.`);

for (const question of questions) {
  console.log(`\n${bold(`? ${question}`)}`);
  const found = await memory.search(question, { maxSearchResults: 3 });
  if (found.length === 0) console.log('  nothing comes to mind');
  for (const { score = 0, createdAt = '', content } of found) {
    console.log(`  ${score.toFixed(1).padStart(4)}  ${dim(createdAt.slice(0, 10))}  ${content}`);
  }
  if (showMemory !== 'show') continue;
  const injected = await manager.conversation().block([{ role: 'user', content: question }]);
  console.log(dim(`injected:\n${indented(injected ?? 'nothing')}`));
}

const session = new FileSession<{ type: 'message'; role: string; content: string }>({ directory, sessionId: 'demo' });
const all = await session.getItems();
console.log(`\n${bold('The session continues where it was:')} ${all.length} items, ending with this turn:`);
for (const { role, content } of await recentItems(session, { maxTurns: 1 }))
  console.log(`  ${dim(`${role}:`)} ${content}`);
await session.addItems([{ type: 'message', role: 'user', content: 'Good morning! Where were we?' }]);
console.log(dim(`  and the next one is added: ${(await session.getItems()).length} items now.`));
