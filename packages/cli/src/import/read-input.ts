import { isObject } from '@keepsake/internal';
import { inputFailure } from '../failure.ts';
import { BrokenInput, brokenInput } from './broken-input.ts';
import type { FormatName } from './format-names.ts';
import type { Format } from './formats/format.ts';
import { type As, formatsFor } from './formats/formats.ts';
import type { FoundEntry } from './found-entry.ts';
import { readValues } from './json/read-values.ts';

export interface ReadOptions {
  readonly as: As;
  /** @default Detected from the shape of each value. */
  readonly format?: FormatName | undefined;
}

/**
 * Reads what there is to import, in the order of the input. A value that can't be read is `skipped: 'broken'`.
 *
 * @throws BrokenInput where the rest of the input can't be read, or not with the ids that it has once the value is corrected.
 * @throws Failure `INPUT` if they should become sessions, for a format without conversations.
 */
export async function* readInput(
  chunks: AsyncIterable<Uint8Array>,
  { as, format }: ReadOptions,
): AsyncGenerator<FoundEntry> {
  const formats = formatsFor(as).filter(({ name }) => format === undefined || name === format);
  const others = as === 'sessions' ? formatsFor('memories') : [];
  const skip = (place: string, failure: BrokenInput): FoundEntry => {
    const canGoOn = formats.every((one) => one.skip?.() ?? true);
    if (!canGoOn) throw failure;
    return { place, skipped: 'broken', failure };
  };
  for await (const { value, failure, place } of readValues(chunks)) {
    if (failure !== undefined) {
      yield skip(place, failure);
      continue;
    }
    try {
      yield* readValue(value, place, formats, others, format);
    } catch (error) {
      if (!(error instanceof BrokenInput)) throw error;
      yield skip(place, error);
    }
  }
  for (const one of formats) yield* one.end?.() ?? [];
}

function* readValue(
  value: unknown,
  place: string,
  formats: readonly Format[],
  others: readonly Format[],
  format: FormatName | undefined,
): Iterable<FoundEntry> {
  const match = isObject(value) ? formats.find((one) => one.matches(value)) : undefined;
  if (isObject(value) && match !== undefined) return yield* match.read(value, place);
  const other = isObject(value) ? others.find((one) => one.matches(value)) : undefined;
  if (other !== undefined) {
    throw inputFailure(
      `The format ${other.name} has no conversations of a user and an assistant. Import it without --as sessions.`,
    );
  }
  throw brokenInput(
    format === undefined ? `${place} has an unknown format. ${SUPPORTED}` : `${place} is not of the format ${format}.`,
  );
}

const SUPPORTED =
  'See keepsake help import for the formats. The main ones: messages { "role", "content" }, the conversations.json of ChatGPT or Claude, transcripts of Claude Code, memories of mem0, Letta agent files, and the output of keepsake export.';
