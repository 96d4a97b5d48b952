// A client remembers over HTTP with the package as a library, and another over stdio with its command.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { InMemoryStore } from '@keepsake/in-memory';
import { memoryHandler, serveHttp } from '@keepsake/mcp';

const hello = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'program', version: '1.0.0' },
};
const remember = { name: 'remember', arguments: { content: 'Alice lives in Lisbon since May.' } };

const store = new InMemoryStore({ name: 'memory' });
const expiresAt = Math.floor(Date.now() / 1_000) + 60;
const verifier = {
  /** @param {string} token */
  verifyAccessToken: async (token) => ({ token, clientId: 'alice', scopes: [], expiresAt }),
};
const handler = memoryHandler({ store, auth: { verifier }, namespaceOf: ({ clientId }) => ['u', clientId] });
const server = await serveHttp(handler);
const response = await fetch(server.url, {
  method: 'POST',
  headers: {
    authorization: 'Bearer secret',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: remember }),
});
assert.match(await response.text(), /Stored/);
await server.close();
assert.equal((await store.within(['u', 'alice']).list()).items.length, 1);

const { version, bin } = JSON.parse(readFileSync('node_modules/@keepsake/mcp/package.json', 'utf8'));
const directory = mkdtempSync('memory-');
const command = join('node_modules/@keepsake/mcp', bin['keepsake-mcp']);

/**
 * Sends requests to a server over stdio, and returns the results.
 *
 * @param {[string, object][]} requests
 */
const ask = async (...requests) => {
  const child = spawn(process.execPath, [command, '--directory', directory], { stdio: ['pipe', 'pipe', 'inherit'] });
  for (const [id, [method, params]] of requests.entries()) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  }
  const results = [];
  for await (const line of createInterface(child.stdout)) {
    results.push(JSON.parse(line).result);
    if (results.length === requests.length) child.stdin.end();
  }
  return results;
};
const [started] = await ask(['initialize', hello], ['tools/call', remember]);
assert.equal(started.serverInfo.version, version);
const recall = { name: 'recall', arguments: { query: 'Where does Alice live?' } };
const [, recalled] = await ask(['initialize', hello], ['tools/call', recall]);
assert.match(recalled.content[0].text, /Alice lives in Lisbon/);
rmSync(directory, { recursive: true });
