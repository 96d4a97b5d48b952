import { isObject } from '@keepsake/internal';
import { BrokenInput, brokenInput } from './broken-input.ts';
import { chatgpt } from './formats/chatgpt.ts';
import { claude } from './formats/claude.ts';
import { exportedRecords } from './formats/exported-records.ts';
import type { Format } from './formats/format.ts';
import { locomo } from './formats/locomo.ts';
import { messages } from './formats/messages.ts';
import type { Found } from './found.ts';
import type { Value } from './json/json-document.ts';
import { readValues } from './json/read-values.ts';

/**
 * Reads the records to import, in the order of the input. The format of each value is detected from its shape. A value that
 * can't be read is `skipped: 'broken'`.
 *
 * @throws BrokenInput where the rest of the input can't be read, or not with the ids that it has once the value is corrected.
 */
export async function* readRecords(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Found> {
  const formats: Format[] = [messages(), exportedRecords, chatgpt, claude, locomo];
  for await (const value of readValues(chunks)) {
    try {
      yield* readValue(value, formats);
    } catch (failure) {
      if (!(failure instanceof BrokenInput)) throw failure;
      const canGoOn = formats.every((format) => format.skip?.() ?? true);
      if (!canGoOn) throw failure;
      yield { place: value.place, skipped: 'broken', failure };
    }
  }
  for (const format of formats) yield* format.end?.() ?? [];
}

function* readValue({ value, failure, place }: Value, formats: readonly Format[]): Iterable<Found> {
  if (failure !== undefined) throw failure;
  const format = isObject(value) ? formats.find((one) => one.matches(value)) : undefined;
  if (!isObject(value) || format === undefined) throw brokenInput(`${place} has an unknown format. ${SUPPORTED}`);
  yield* format.read(value, place);
}

const SUPPORTED =
  'Supported formats: messages { "role", "content" }, the conversations.json of a ChatGPT or Claude export, LoCoMo files, and the output of keepsake export.';
