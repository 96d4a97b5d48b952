/**
 * Two MCP clients, each with a server process of its own, on the same files:
 *
 * npm start -w examples/mcp
 */
import { rmSync } from 'node:fs';
import { connect } from './connect.ts';

const DIRECTORY = '.keepsake/mcp';
rmSync(DIRECTORY, { recursive: true, force: true });

// In your editor, its model makes these calls.
const editor = await connect('editor', DIRECTORY);
await editor.call('remember', { content: 'The staging database is called heron.', metadata: { topic: 'work' } });
await editor.call('remember', { content: 'Runa prefers tabs to spaces.' });
await editor.close();

const chat = await connect('chat', DIRECTORY);
await chat.call('recall', { query: 'What is the name of the staging database?', filter: { topic: 'work' } });
// The server asks the user first. This one says yes.
await chat.call('forget', { query: 'tabs or spaces', limit: 1 });
await chat.call('list_memories', {});
await chat.close();
