import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ModelMessage } from 'ai';
import { afterEach, beforeEach, expect, it } from 'vitest';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keepsake-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** What the model is given, in a process that says one thing. */
async function talk(says: string, answer: string, fate = 'ends'): Promise<ModelMessage[]> {
  const program = join(import.meta.dirname, 'programs/talk.ts');
  const args = ['--conditions=@keepsake/source', program, directory, says, answer, fate];
  const { stdout, signal } = await promisify(execFile)(process.execPath, args).then(
    (ended) => ({ ...ended, signal: undefined }),
    (killed: { stdout: string; signal?: string }) => killed,
  );
  expect(signal).toBe(fate === 'killed' ? 'SIGKILL' : undefined);
  return JSON.parse(stdout);
}

it.each(['ends', 'killed'])('knows in a second process what was said in the first (%s)', async (fate) => {
  const says = 'My sister Runa has moved to Tromsø.';
  expect(await talk(says, 'How nice.', fate)).toMatchObject([
    { role: 'user', content: [{ type: 'text', text: says }] },
  ]);
  const [question, ...more] = await talk('Where does Runa live now?', 'In Tromsø.');
  expect(more).toEqual([]);
  expect(question?.content).toMatchObject([
    { type: 'text', text: 'Where does Runa live now?' },
    { type: 'text', text: expect.stringContaining(says) },
  ]);
});
