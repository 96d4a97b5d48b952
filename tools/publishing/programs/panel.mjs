// The page and its interface, served to one browser, over a directory of files.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { openConfig } from '@keepsake/config';
import { createPanel, servePanel } from '@keepsake/panel';

const directory = mkdtempSync('panel-');
const config = await openConfig({ cwd: directory });
await (await config.memory()).add('Alice lives in Lisbon since May.');

const { url, close } = await servePanel(config);
const { origin } = new URL(url);
assert.equal((await fetch(origin)).status, 401);
const entered = await fetch(url);
const [cookie = ''] = entered.headers.get('set-cookie')?.split(';') ?? [];
const page = await fetch(origin, { headers: { cookie } });
assert.match(await page.text(), /app\.js/);
assert.equal((await fetch(`${origin}/app.js`, { headers: { cookie } })).status, 200);
assert.equal((await fetch(`${origin}/app.css`, { headers: { cookie } })).status, 200);
const found = await fetch(`${origin}/api/records?search=Lisbon`, { headers: { cookie } });
assert.equal(JSON.parse(await found.text()).items[0].content.text, 'Alice lives in Lisbon since May.');
await close();

const panel = createPanel(config, { readOnly: true, basePath: '/memory/' });
const status = await panel.fetch(new Request('http://localhost/memory/api/status'));
assert.equal(JSON.parse(await status.text()).readOnly, true);
await config.close();
rmSync(directory, { recursive: true });
