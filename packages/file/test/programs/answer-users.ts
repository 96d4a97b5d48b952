// Answers some users with an outbox, and is killed before anything is learned. Arguments: a directory, the users.

import { MemoryManager } from '@keepsake/core';
import { FileStore } from '../../src/index.ts';

const [directory = '', ...users] = process.argv.slice(2);
const store = new FileStore({ directory, name: 'chats', extraction: { trigger: { name: 'never', attach() {} } } });
const memory = new MemoryManager({ stores: [store], outbox: store });
for (const user of users) {
  const messages = [{ role: 'user' as const, content: `I am ${user}.` }];
  await memory.for({ user }).turn({ thread: 'monday', messages, answer: () => 'Welcome on board.' });
}
process.kill(process.pid, 'SIGKILL');
