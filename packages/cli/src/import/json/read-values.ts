import { parseJson } from '@keepsake/internal';
import { inputFailure } from '../../failure.ts';
import { brokenInput } from '../broken-input.ts';
import { JsonDocument, type Value } from './json-document.ts';
import { splitLines } from './split-lines.ts';

/**
 * Reads the JSON values of an input one at a time: lines of JSONL, items of an array, or one object that spans lines.
 *
 * @throws Failure `INPUT` if there is no value, and where no further value can be read, after those before it were returned.
 */
export async function* readValues(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Value> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    yield* readFrom(iterator);
  } finally {
    // Closes the input, even if a failure in its first chunk ends the import.
    await iterator.return?.();
  }
}

async function* readFrom(iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Value> {
  // Reads enough bytes to detect what the input is. Joined once, because any number of blank lines may come first.
  const chunks: Uint8Array[] = [];
  let length = 0;
  let start = -1;
  while (start === -1 || length < MARK_BYTES) {
    const { value, done } = await iterator.next();
    if (done) break;
    chunks.push(value);
    if (start === -1) start = firstByte(value, length);
    length += value.length;
  }
  const head = Buffer.concat(chunks);
  if (start === -1) throw inputFailure('The input is empty.');
  refuseOtherKinds(head);
  const rest = { [Symbol.asyncIterator]: () => iterator };
  if (head[start] === OPENING_BRACKET) yield* readArray(head.subarray(start), rest);
  else yield* readLines(head, rest);
}

const MARK_BYTES = 4;
const OPENING_BRACKET = 0x5b;
const WHITE_SPACE: readonly number[] = [0x20, 0x09, 0x0a, 0x0d];
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** The offset in the input of the first value, if a chunk at `offset` has it; else -1. */
function firstByte(chunk: Uint8Array, offset: number): number {
  const index = chunk.findIndex(
    (byte, index) => byte !== BYTE_ORDER_MARK[offset + index] && !WHITE_SPACE.includes(byte),
  );
  return index === -1 ? -1 : offset + index;
}

function refuseOtherKinds(head: Buffer): void {
  if (head.toString('latin1', 0, 4) === 'PK\u0003\u0004') {
    throw inputFailure('This is a zip file. Unpack it and import the conversations.json inside.');
  }
  const mark = head.toString('hex', 0, 2);
  if (mark === 'fffe' || mark === 'feff') throw inputFailure('This is UTF-16. Save it as UTF-8 and import it again.');
}

/** Reads an array, which is often a single long line. */
async function* readArray(head: Buffer, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Value> {
  const array = new JsonDocument('array');
  yield* array.write(head);
  for await (const chunk of rest) yield* array.write(chunk);
  array.end();
}

/** Reads JSONL, or one object if its first line alone is not valid JSON. */
async function* readLines(head: Buffer, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Value> {
  let document: JsonDocument | undefined;
  let isFirst = true;
  for await (const { text, number } of splitLines(head, rest)) {
    const place = `line ${number}`;
    if (text === undefined) {
      const failure = brokenInput(`${place} is not UTF-8.`);
      // In the first line, it is no text at all; in a document, there is no next value.
      if (isFirst || document !== undefined) throw failure;
      yield { value: undefined, failure, place };
      continue;
    }
    if (document !== undefined) {
      yield* document.write(`${text}\n`, place);
      continue;
    }
    if (text.trim() === '') continue;
    // Of a long value that spans lines, most lines begin otherwise. Each error of the parser would take longer than all else.
    const isObject = text.trimStart().startsWith('{');
    const value = isObject || isFirst ? parseJson(text) : undefined;
    if (value === undefined && isFirst && isObject) {
      document = new JsonDocument('object');
      yield* document.write(`${text}\n`, place);
    } else {
      const failure =
        value === undefined
          ? brokenInput(`${place} is not ${isObject || isFirst ? 'JSON' : 'a JSON object'}.`)
          : undefined;
      if (failure !== undefined && isFirst) throw failure;
      yield { value, place, ...(failure && { failure }) };
    }
    isFirst = false;
  }
  document?.end();
}
