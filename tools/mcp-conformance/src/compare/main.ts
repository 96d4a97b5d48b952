import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installApart } from '@keepsake/testing/install-apart';
import { type Measured, measureServer } from './measure-server.ts';
import { SERVERS } from './memory-server.ts';

/** `npm run compare --workspace @keepsake/mcp-conformance`: prints the table of docs/mcp-comparison.md. */
async function main(): Promise<void> {
  const { positionals } = parseArgs({ allowPositionals: true });
  const peers = await installApart(join(import.meta.dirname, '../../peers'));
  const servers = SERVERS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  console.log('| Server | Tools | Their size | 200 writes: confirmed | kept | Question: time | answer |');
  console.log('| --- | --- | --- | --- | --- | --- | --- |');
  for (const server of servers) {
    const root = await mkdtemp(join(tmpdir(), 'keepsake-compare-'));
    const directories = [await mkdtemp(join(root, 'a-')), await mkdtemp(join(root, 'b-'))] as const;
    try {
      console.log(rowOf(await measureServer(server, peers, directories)));
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  }
}

function rowOf({ name, tools, toolBytes, confirmed, kept, askMs, answerBytes }: Measured): string {
  const ask = askMs === undefined ? '–' : `${askMs.toFixed(1)} ms`;
  const answer = answerBytes === undefined ? '–' : sizeOf(answerBytes);
  return `| ${[`\`${name}\``, tools, sizeOf(toolBytes), confirmed, kept, ask, answer].join(' | ')} |`;
}

function sizeOf(bytes: number): string {
  return bytes < 1_000 ? `${bytes} B` : `${(bytes / 1_000).toFixed(1)} kB`;
}

await main();
