import { once } from 'node:events';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rounds } from '@keepsake/testing/share';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Ended, keepsake, keepsakeProcess, Running } from './keepsake.ts';
import { writeSlowConfig } from './slow-config.ts';
import { useDirectories } from './use-directories.ts';

const temporaryDirectory = useDirectories();
const nodeArgs = [`--import=${join(import.meta.dirname, 'programs/report-memory.ts')}`];

function megabytes({ stderr }: Ended): number {
  return Number(/at most (\d+) MB/.exec(stderr)?.[1]);
}

const LINES = rounds(20_000, 5_000);

/** The memory of the program when it imports almost nothing. */
let baseline: number;
beforeAll(async () => {
  const input = JSON.stringify({ role: 'user', content: 'Hi' });
  baseline = megabytes(await keepsakeProcess(['import', '-'], { cwd: temporaryDirectory(), input, nodeArgs }));
});

/** Pipes a text many times, no faster than it is read. */
async function importPiped(head: string, part: string, times: number, tail: string): Promise<Ended> {
  const running = new Running(['import', '-'], { cwd: temporaryDirectory(), nodeArgs });
  running.input.write(head);
  for (let n = 0; n < times; n++) {
    if (!running.input.write(n === 0 ? part : `,${part}`.slice(tail === '' ? 1 : 0)))
      await once(running.input, 'drain');
  }
  running.input.end(tail);
  return running.end;
}

describe('a large import', () => {
  it(`of ${LINES} lines can be interrupted by Ctrl-C and continued, in bounded memory`, async () => {
    const cwd = temporaryDirectory();
    const line = (n: number) =>
      JSON.stringify({ role: 'user', content: `Line ${n} of a talk about ${n % 977} things` });
    writeFileSync(join(cwd, 'long.jsonl'), Array.from({ length: LINES }, (_, n) => `${line(n)}\n`).join(''));

    writeSlowConfig(cwd, 'file', "FileStore({ directory: '.keepsake', name: 'memory' })");
    const running = new Running(['import', 'long.jsonl', '--config', 'slow.config.mjs'], { cwd });
    while (!hasLogOf(join(cwd, '.keepsake/memory'), 100_000)) await new Promise((resolve) => setTimeout(resolve, 5));
    running.interrupt();
    const interrupted = await running.end;
    expect(interrupted).toMatchObject({ exitCode: 130, stderr: expect.stringContaining('Interrupted.') });
    const added = Number(/^(\d+) added, 0 already there\.\n$/.exec(interrupted.stdout)?.[1]);
    expect(added).toBeGreaterThan(0);
    expect(added).toBeLessThan(LINES);
    const acknowledged = JSON.parse((await keepsake(['namespaces', '--json'], { cwd })).stdout);
    expect(acknowledged.items).toEqual([{ name: '', namespace: [], recordCount: added }]);

    const rest = await keepsakeProcess(['import', 'long.jsonl'], { cwd, nodeArgs });
    expect(rest).toMatchObject({ exitCode: 0, stdout: `${LINES - added} added, ${added} already there.\n` });
    // The memory of the store for the records with their index.
    expect(megabytes(rest) - baseline).toBeLessThan(LINES > 5_000 ? 150 : 75);
  });

  it('of JSONL keeps one line in memory', { tags: ['nightly'] }, async () => {
    // 100 MB of which nothing is stored, so that only reading is measured.
    const line = `${JSON.stringify({ role: 'user', content: ' '.repeat(2_000) })}\n`;
    const ended = await importPiped('', line.repeat(100), 500, '');
    expect(ended).toMatchObject({ exitCode: 0, stdout: '0 added, 0 already there, 50000 skipped (no text).\n' });
    expect(megabytes(ended) - baseline).toBeLessThan(50);
  });

  it('of an array keeps one item in memory', { tags: ['nightly'] }, async () => {
    // 100 MB as well.
    const hidden = { author: { role: 'system' }, content: { content_type: 'text', parts: ['x'.repeat(100_000)] } };
    const conversation = JSON.stringify({ title: 'Long', mapping: { a: { message: hidden } }, current_node: 'a' });
    const ended = await importPiped('[', conversation, 1_000, ']');
    expect(ended).toMatchObject({ exitCode: 0, stdout: '0 added, 0 already there.\n' });
    expect(megabytes(ended) - baseline).toBeLessThan(50);
  });
});

function hasLogOf(memory: string, bytes: number): boolean {
  if (!existsSync(memory)) return false;
  const files = readdirSync(memory, { recursive: true }) as string[];
  return files.some((file) => {
    const stat = statSync(join(memory, file), { throwIfNoEntry: false });
    return file.endsWith('.jsonl') && stat !== undefined && stat.size > bytes;
  });
}
