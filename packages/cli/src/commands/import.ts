import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { usageFailure } from '../failure.ts';
import { BrokenInput, inFile } from '../import/broken-input.ts';
import type { FormatName } from '../import/format-names.ts';
import type { As } from '../import/formats/formats.ts';
import { MemoryImporter, type Tally } from '../import/memory-importer.ts';
import { openInput } from '../import/open-input.ts';
import { readInput } from '../import/read-input.ts';
import { SessionImporter, type SessionTally } from '../import/session-importer.ts';
import { listenForInterrupt } from '../interrupt.ts';
import { count, countOf, type Output } from '../output/output.ts';
import { printable } from '../output/printable.ts';
import { Progress } from '../output/progress.ts';

/** How many values that can't be read are printed; all are counted. */
const MAX_PROBLEMS = 20;

interface Options {
  readonly as: As;
  readonly format?: FormatName;
  readonly redact?: boolean;
  /** Whether the first value that can't be read ends the import. */
  readonly strict?: boolean;
}

export async function run(context: Context, [file = '-']: readonly string[], options: Options): Promise<ExitCode> {
  const { output, surroundings } = context;
  const { as, format, strict = false } = options;
  const { signal, stopListening } = listenForInterrupt(surroundings);
  const input = await openInput(file, surroundings, signal);
  const importer = await openImporter(context, options);
  const progress = new Progress(output.json ? undefined : output.stderr, input.totalBytes);
  let failure: unknown;
  try {
    for await (const entry of readInput(input.chunks(), { as, format })) {
      const broken = await importer.add(entry);
      if (broken !== undefined) {
        if (strict) throw broken;
        const isShown = importer.tally.broken.push(broken.problem) <= MAX_PROBLEMS;
        if (isShown) output.note(printable(inFile(file, broken).problem));
      }
      progress.show(input.bytesRead, importer.count);
      signal.throwIfAborted();
    }
  } catch (error) {
    failure = error instanceof BrokenInput ? inFile(file, error) : error;
  }
  // After a failure too, so that everything read before it is stored.
  await importer.flush().catch((error) => {
    failure ??= error;
  });
  stopListening();
  progress.clear();
  const isWhole =
    importer instanceof MemoryImporter
      ? await reportMemories(output, importer.tally)
      : await reportSessions(output, importer.tally);
  if (failure !== undefined) throw failure;
  return isWhole ? EXIT.fine : EXIT.failed;
}

async function openImporter(context: Context, { as, redact = false }: Options) {
  const { namespace } = context;
  if (as === 'memories') return new MemoryImporter(await context.openStore(), { redact, namespace });
  if (namespace.length > 0) throw usageFailure('Sessions have no namespace. Leave out --namespace, or --as sessions.');
  return new SessionImporter(await context.openSessions(), { redact });
}

/** Prints what was imported, and returns whether that is everything. */
async function reportMemories(output: Output, tally: Tally): Promise<boolean> {
  const { added, alreadyThere, extended, blank, expired, tooLarge, broken } = tally;
  const isWhole = tooLarge.length + broken.length === 0;
  if (output.json) await output.value(tally);
  if (output.json) return isWhole;
  const parts = [`${count(output, added)} added`, `${count(output, alreadyThere)} already there`];
  if (extended > 0) parts.push(`${count(output, extended)} extended`);
  if (blank > 0) parts.push(`${count(output, blank)} skipped (no text)`);
  if (expired > 0) parts.push(`${count(output, expired)} skipped (expired)`);
  if (tooLarge.length > 0) parts.push(`${count(output, tooLarge.length)} skipped (over 1 MiB: ${tooLarge.join('; ')})`);
  if (broken.length > 0) parts.push(`${count(output, broken.length)} skipped (cannot be read)`);
  await output.line(`${parts.join(', ')}.`);
  return isWhole;
}

async function reportSessions(output: Output, tally: SessionTally): Promise<boolean> {
  const { added, extended, alreadyThere, blank, items, changed, broken } = tally;
  const isWhole = changed.length + broken.length === 0;
  if (output.json) await output.value(tally);
  if (output.json) return isWhole;
  const parts = [`${countOf(output, added, 'session')} added`, `${count(output, alreadyThere)} already there`];
  if (extended > 0) parts.push(`${count(output, extended)} extended`);
  if (blank > 0) parts.push(`${count(output, blank)} skipped (no messages)`);
  if (changed.length > 0) parts.push(`${count(output, changed.length)} not extended (changed here)`);
  if (broken.length > 0) parts.push(`${count(output, broken.length)} skipped (cannot be read)`);
  await output.line(`${parts.join(', ')}: ${countOf(output, items, 'new item')}.`);
  for (const id of changed.slice(0, MAX_PROBLEMS)) {
    output.note(
      printable(`Session ${id} was changed here, so its new items were not added. Delete it and import it again.`),
    );
  }
  return isWhole;
}
