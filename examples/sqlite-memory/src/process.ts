/** One of the processes. Arguments: FILE SESSION ROOM. It only knows what is in the file. */
import { openSession, openStore } from './memory.ts';

const NOTES: Readonly<Record<string, readonly string[]>> = {
  kitchen: [
    'The rye bread is in the blue tin.',
    'The oven runs ten degrees too hot.',
    'A jar of rice hides the spare key.',
  ],
  balcony: ['The basil must not dry out.', 'The lemon tree comes inside in October.', 'The third chair wobbles.'],
};

const [file = '', sessionId = '', room = ''] = process.argv.slice(2);
const session = openSession(file, sessionId);
const store = openStore(file);

for (const note of NOTES[room] ?? []) {
  await store.add(note, { room });
  // One batch: the messages of the other process come before or after both, never in between.
  await session.addItems([
    { role: 'user', content: note },
    { role: 'assistant', content: `Noted: ${note}` },
  ]);
}
await store.close();
