// Retries the dead letters in a directory, the argument. Prints a line for each message that its model learns from.
import { once } from 'node:events';
import { say } from '@keepsake/testing/say';
import { refusedMessages } from './refused-messages.ts';

const memory = refusedMessages(process.argv[2] as string, (text) => {
  say('learned');
  return `${text}, as process ${process.pid} put it`;
});
say('ready');
await once(process.stdin, 'data');
await memory.retryDeadLetters();
process.stdin.destroy();
