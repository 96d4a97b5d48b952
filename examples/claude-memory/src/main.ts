/**
 * Claude takes notes with its memory tool in one process, and reads them in another. Their transcripts are in the same file:
 *
 * npm start -w examples/claude-memory
 * npm start -w examples/claude-memory -- "I keep bees." "What do I keep?"
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { getSessionMessages, listSessions } from '@anthropic-ai/claude-agent-sdk';
import { openMemory } from './memory.ts';

const DIRECTORY = '.keepsake/claude-memory';
const talk = fileURLToPath(new URL('talk.ts', import.meta.url));
const given = process.argv.slice(2);
const texts = given.length > 0 ? given : ['My sister Runa has moved to Tromsø.', 'Where does Runa live now?'];

rmSync(DIRECTORY, { recursive: true, force: true });
for (const text of texts) {
  const node = [...process.execArgv, talk, DIRECTORY, text];
  const { status } = spawnSync(process.execPath, node, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

// What the Claude Agent SDK finds in the session store.
const { sessionStore, close } = openMemory(DIRECTORY);
for (const { sessionId, summary } of await listSessions({ dir: '.', sessionStore })) {
  const messages = await getSessionMessages(sessionId, { dir: '.', sessionStore });
  console.log(`session ${sessionId}: ${messages.length} messages, "${summary}"`);
}
await close();
