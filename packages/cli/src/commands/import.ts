import { type JsonObject, redactJson, redactText } from '@keepsake/core';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Found } from '../import/found.ts';
import { Importer, type Tally } from '../import/importer.ts';
import { openInput } from '../import/open-input.ts';
import { readRecords } from '../import/read-records.ts';
import { listenForInterrupt } from '../interrupt.ts';
import { count, type Output } from '../output/output.ts';
import { printable } from '../output/printable.ts';
import { Progress } from '../output/progress.ts';

/** How many values that can't be read are printed; all are counted. */
const MAX_PROBLEMS = 20;

interface Options {
  readonly redact?: boolean;
  /** Whether the first value that can't be read ends the import. */
  readonly strict?: boolean;
}

export async function run(
  context: Context,
  [file = '-']: readonly string[],
  { redact = false, strict = false }: Options,
): Promise<ExitCode> {
  const { output } = context;
  const { signal, stopListening } = listenForInterrupt();
  const input = await openInput(file, signal);
  const importer = new Importer(await context.openStore());
  const progress = new Progress(output.json ? undefined : process.stderr, input.totalBytes);
  let failure: unknown;
  try {
    for await (const found of readRecords(input.chunks())) {
      const broken = await importer.add(redact ? redacted(found) : found);
      if (broken !== undefined) {
        if (strict) throw broken;
        if (importer.tally.broken.push(broken.problem) <= MAX_PROBLEMS) output.note(printable(broken.problem));
      }
      progress.show(input.bytesRead, importer.count);
      signal.throwIfAborted();
    }
  } catch (error) {
    failure = error;
  }
  // After a failure too, so that everything read before it is stored.
  await importer.flush().catch((error) => {
    failure ??= error;
  });
  stopListening();
  progress.clear();
  await report(output, importer.tally);
  if (failure !== undefined) throw failure;
  const { tooLarge, broken } = importer.tally;
  return tooLarge.length + broken.length > 0 ? EXIT.failed : EXIT.fine;
}

/** A record without the secrets in its text and metadata. Keeps its id, so that importing it again adds nothing. */
function redacted(found: Found): Found {
  if (found.skipped !== undefined) return found;
  const { content, metadata } = found.record;
  const record = {
    ...found.record,
    content: redactText(content),
    ...(metadata && { metadata: redactJson(metadata as JsonObject) }),
  };
  return { ...found, record };
}

async function report(output: Output, tally: Tally): Promise<void> {
  if (output.json) return output.value(tally);
  const { added, alreadyThere, blank, expired, tooLarge, broken } = tally;
  const parts = [`${count(output, added)} added`, `${count(output, alreadyThere)} already there`];
  if (blank > 0) parts.push(`${count(output, blank)} skipped (no text)`);
  if (expired > 0) parts.push(`${count(output, expired)} skipped (expired)`);
  if (tooLarge.length > 0) parts.push(`${count(output, tooLarge.length)} skipped (over 1 MiB: ${tooLarge.join('; ')})`);
  if (broken.length > 0) parts.push(`${count(output, broken.length)} skipped (cannot be read)`);
  await output.line(`${parts.join(', ')}.`);
}
