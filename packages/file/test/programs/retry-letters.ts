// Retries the dead letters in a directory, the argument. Prints a line for each message that its model learns from.
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { refusedMessages } from './refused-messages.ts';

const memory = refusedMessages(process.argv[2] as string, (text) => {
  writeSync(1, 'learned\n');
  return `${text}, as process ${process.pid} put it`;
});
writeSync(1, 'ready\n');
await once(process.stdin, 'data');
await memory.retryDeadLetters();
process.stdin.destroy();
