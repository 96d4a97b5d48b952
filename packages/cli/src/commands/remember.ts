import type { Readable } from 'node:stream';
import { LIMITS } from '@keepsake/core/adapter';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { usageFailure } from '../failure.ts';
import { dim } from '../output/style.ts';
import type { Surroundings } from '../surroundings.ts';

export async function run(context: Context, words: readonly string[]): Promise<ExitCode> {
  const { output } = context;
  const text = await readText(words, context.surroundings);
  if (text.trim() === '') throw usageFailure('The text is empty. Pass a text to remember.');
  const store = await context.openStore();
  const record = await store.add(text);
  if (output.json) await output.value(record);
  else await output.line(output.isTerminal ? `Remembered. ${dim(record.id, output.stdout)}` : record.id);
  return EXIT.fine;
}

async function readText(words: readonly string[], { stdin }: Surroundings): Promise<string> {
  const fromInput = words.length === 0 || (words.length === 1 && words[0] === '-');
  if (!fromInput) return words.join(' ');
  if (words.length === 0 && stdin.isTTY) {
    throw usageFailure('Missing text. Pass one: keepsake remember "I moved to Lisbon in May."');
  }
  return (await readInput(stdin)).trimEnd();
}

/** Stops reading once the input is certainly too large. */
async function readInput(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    chunks.push(chunk);
    bytes += chunk.length;
    // Twice the limit, because white space at the end does not count.
    if (bytes > 2 * LIMITS.contentBytes) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
