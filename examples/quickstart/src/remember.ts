/** The first process: stores a conversation in a session and a memory store, then ends. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { FileSession, FileStore } from '@keepsake/file';
import { dim, endPlainly } from './chat/terminal.ts';
import { readConversation, type Utterance } from './conversation.ts';

endPlainly();

const [directory = '.keepsake', file = ''] = process.argv.slice(2);
const utterances = read(file);
// Identifies the conversation, so that remembering it again changes nothing.
const digest = createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 16);

// The session is the conversation itself, in the form of a model's input …
const session = new FileSession({ directory, sessionId: 'demo' });
await session.applyHistoryTransaction({
  operationId: digest,
  transaction: {
    type: 'append_items',
    items: utterances.map(({ role, text }) => ({ type: 'message', role, content: text })),
  },
});

// … and the store makes it searchable by content.
const memory = new FileStore({ directory, name: 'demo', namespace: ['demo'] });
await memory.putMany(
  utterances.map(({ speaker, text, saidAt }, index) => ({
    id: `${digest}-${index}`,
    content: `${speaker}: ${text}`,
    createdAt: saidAt,
    turn: { thread: digest, index, speaker },
  })),
);

console.log(`${dim(`process ${process.pid}`)}  remembered ${utterances.length} turns in ${directory}, and ends here.`);

function read(path: string): Utterance[] {
  try {
    return readConversation(path);
  } catch (error) {
    console.error(`${path} cannot be read as a conversation: ${(error as Error).message}`);
    process.exit(2);
  }
}
