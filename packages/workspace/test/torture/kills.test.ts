import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProgram, useDirectory } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { wholesOf } from '@keepsake/testing/torture/seed';
import { expect, it } from 'vitest';
import { checkLayout, Paths } from '../../src/files/layout.ts';
import { Ledger } from '../../src/files/ledger.ts';
import { readBlocks } from '../../src/generate/bullets.ts';
import { localDirectory, WorkspaceMemory } from '../../src/index.ts';
import { scriptedModel } from '../support/model.ts';

const directory = useDirectory();
const PROGRAM = join(import.meta.dirname, '../programs/distil.ts');
const CONVERSATIONS = 3;
const KILLS = rounds(100);

/** Runs a process and kills it `ms` after it has printed `after`. Returns its output by line. */
async function runAndKill(round: number, after: string, ms: number): Promise<string[]> {
  const child = startProgram(PROGRAM, [directory.path, String(round), String(CONVERSATIONS)]);
  const end = once(child, 'close');
  let text = '';
  let timer: NodeJS.Timeout | undefined;
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    if (text.includes(after)) timer ??= setTimeout(() => child.kill('SIGKILL'), ms);
  });
  await end;
  clearTimeout(timer);
  return text.split('\n');
}

/** The bullets of the memory and the summary, and all files, as a reader sees them. */
async function readMemory() {
  const paths = new Paths(checkLayout());
  const ledger = new Ledger(localDirectory(directory.path), paths);
  const files = [...(await ledger.snapshot('memories'))].map(([path, { text }]) => [paths.nameOf(path), text] as const);
  const bullets = (name: string) =>
    readBlocks(files.find(([path]) => path === name)?.[1] ?? '')
      .filter(({ kind }) => kind === 'bullet')
      .map(({ text }) => text)
      .sort();
  return { memory: bullets('MEMORY.md'), summary: bullets('memory_summary.md'), files: new Map(files) };
}

it.for([['phase 1', 'appended', 120] as const, ['phase 2', `extraction ${CONVERSATIONS - 1}`, 40] as const])(
  `${KILLS} kills in %s leave the memory in the state before or after a change, and nothing is extracted twice`,
  async ([phase, after, spread], context) => {
    const random = wholesOf(`kills in ${phase}`);
    const outcomes = { before: 0, after: 0, closed: 0, noted: 0 };
    let oldQueue = '';
    for (let round = 0; round < KILLS; round++) {
      const old = round === 0 ? { memory: [] } : await readMemory();
      const lines = await runAndKill(round, after, random(spread));
      if (lines.includes('closed')) outcomes.closed++;
      const { memory, summary, files } = await readMemory();
      // One change writes both files, so they contain the same bullets.
      expect(summary).toEqual(memory);
      expect(new Set(memory).size).toBe(memory.length);
      // The memory contains exactly the selected conversations, and no part of an unfinished change.
      const selected = JSON.parse(files.get('phase_two_selection.json') ?? '{"selected":[]}').selected;
      const rests = new Set(memory.map((bullet) => /\[rollouts: (c\d)\]$/.exec(bullet)?.[1]));
      expect([...rests].sort()).toEqual(selected.map(({ id }: { id: string }) => id).sort());
      outcomes[JSON.stringify(memory) === JSON.stringify(old.memory) ? 'before' : 'after']++;
      // The notes of a conversation contain exactly the part that the queue marks as read.
      const queueText = files.get('phase_one_queue.json') ?? '{}';
      if (queueText !== oldQueue) outcomes.noted++;
      oldQueue = queueText;
      const queue = JSON.parse(queueText);
      for (const [id, { cursor }] of Object.entries<{ cursor: number }>(queue)) {
        const read = readFileSync(join(directory.path, `sessions/${id}.jsonl`), 'utf8').slice(0, cursor);
        const rounds = [...read.matchAll(/"content":"(round \d+ of c\d)"/g)].map(([, text]) => text);
        const noted = [...(files.get(`raw_memories/${id}.md`) ?? '').matchAll(/^- (round \d+ of c\d)$/gm)].map(
          ([, text]) => text,
        );
        expect(noted).toEqual(rounds);
      }
    }
    // The next process completes the rest, and everything is there once.
    await new WorkspaceMemory({ workspace: localDirectory(directory.path), model: scriptedModel() }).close();
    const { memory } = await readMemory();
    const appended = Array.from({ length: CONVERSATIONS }, (_, n) =>
      readFileSync(join(directory.path, `sessions/c${n}.jsonl`), 'utf8'),
    );
    const all = appended.flatMap((text) =>
      [...text.matchAll(/"content":"(round \d+ of (c\d))"/g)].map(([, said, id]) => `- ${said} [rollouts: ${id}]`),
    );
    expect(memory).toEqual(all.sort());
    const { before, closed, noted } = outcomes;
    const said = `killed ${KILLS} times in ${phase}: ${before} times the memory was unchanged, ${outcomes.after} times it was the new one`;
    show(
      context,
      1,
      `${said} (${closed} had ended), ${noted} times with new notes, ${count(all.length)} segments extracted once each`,
    );
  },
);
