import { isObject } from '@keepsake/internal';
import { brokenInput } from './broken-input.ts';
import { chatgpt } from './formats/chatgpt.ts';
import { claude } from './formats/claude.ts';
import { exportedRecords } from './formats/exported-records.ts';
import type { Format } from './formats/format.ts';
import { locomo } from './formats/locomo.ts';
import { messages } from './formats/messages.ts';
import type { Found } from './found.ts';
import { readValues } from './json/read-values.ts';

/** Reads the records to import, in the order of the input. The format of each value is detected from its shape. */
export async function* readRecords(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Found> {
  const formats: Format[] = [messages(), exportedRecords, chatgpt, claude, locomo];
  for await (const { value, place } of readValues(chunks)) {
    const format = isObject(value) ? formats.find((one) => one.matches(value)) : undefined;
    if (!isObject(value) || format === undefined) throw brokenInput(`${place} has an unknown format. ${SUPPORTED}`);
    yield* format.read(value, place);
  }
  for (const format of formats) yield* format.end?.() ?? [];
}

const SUPPORTED =
  'Supported formats: messages { "role", "content" }, the conversations.json of a ChatGPT or Claude export, LoCoMo files, and the output of keepsake export.';
