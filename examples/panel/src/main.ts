/**
 * A small memory in your browser:
 *
 * npm start -w examples/panel
 *
 * With `--check`, asks the panel as its page does, prints the answers and exits.
 */
import { rmSync } from 'node:fs';
import { createPanel, servePanel } from '@keepsake/panel';
import { openMemory } from './config.ts';
import { fill } from './fill.ts';

const DIRECTORY = '.keepsake/panel';
rmSync(DIRECTORY, { recursive: true, force: true });
const config = openMemory(DIRECTORY);
await fill(config);

if (process.argv.includes('--check')) {
  const panel = createPanel(config, { readOnly: true });
  const ask = async (path: string) => (await panel.fetch(new Request(`http://localhost/${path}`))).json();
  const { hits, block } = await ask('api/ask?question=Which+seat+does+she+prefer%3F&user=alice&agent=concierge');
  console.log(hits[0].content.text);
  // The date is that of today.
  console.log(block.text.replace(/ date="[\d-]+"/, ''));
  const users: { items: { id: string; recordCount: number }[] } = await ask('api/users');
  for (const { id, recordCount } of users.items) console.log(`${id}: ${recordCount}`);
  const waiting = await ask('api/runs?status=paused');
  console.log(`waits: ${waiting.items[0].pauseReason}`);
  await config.close();
} else {
  const { url, close } = await servePanel(config);
  console.log(url);
  process.once('SIGINT', async () => {
    await close();
    await config.close();
  });
}
