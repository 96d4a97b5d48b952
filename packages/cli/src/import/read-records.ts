import { isObject } from '../json-values.ts';
import { brokenInput } from './broken-input.ts';
import { chatgpt } from './chatgpt.ts';
import { claude } from './claude.ts';
import { exportedRecords } from './exported-records.ts';
import type { Format, Found } from './found.ts';
import { locomo } from './locomo.ts';
import { messages } from './messages.ts';
import { readValues } from './read-values.ts';

/** What there is to import in an input, in its order. Each value is recognised by its shape. */
export async function* readRecords(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Found> {
  const formats: Format[] = [messages(), exportedRecords, chatgpt, claude, locomo];
  for await (const { value, place } of readValues(chunks)) {
    const format = isObject(value) ? formats.find((one) => one.matches(value)) : undefined;
    if (!isObject(value) || format === undefined)
      throw brokenInput(`${place} is nothing that can be imported. ${KNOWN}`);
    yield* format.read(value, place);
  }
  for (const format of formats) yield* format.end?.() ?? [];
}

const KNOWN =
  'Known are messages { "role", "content" }, conversations of a ChatGPT or Claude export, LoCoMo, and what keepsake export wrote.';
