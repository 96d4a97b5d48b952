/*
 * Makes hundreds of managers that observe a message, as a server does that makes one per request and forgets to flush.
 * Prints how many of them are still in memory when nobody uses them, and how many listeners the program has for its end.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '../../src/index.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const managers: WeakRef<MemoryManager>[] = [];
for (let request = 0; request < 500; request++) {
  const memory = new MemoryManager({ stores: [new InMemoryStore({ name: 'facts', extraction: true })] });
  memory.conversation({ id: 'chat' }).observe({ role: 'user', content: 'Hello' });
  managers.push(new WeakRef(memory));
  if (request % 100 === 0) await wait();
}
for (let time = 0; time < 5; time++) {
  collect();
  await wait(5);
}
const alive = managers.filter((manager) => manager.deref() !== undefined).length;
console.log(JSON.stringify({ alive, listeners: process.listenerCount('exit') + process.listenerCount('beforeExit') }));
