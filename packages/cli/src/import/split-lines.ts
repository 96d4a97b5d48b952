import { brokenInput } from './broken-input.ts';

/** A line without its end. Lines are counted from 1. */
export interface Line {
  readonly text: string;
  readonly number: number;
}

const LINE_FEED = 0x0a;

/**
 * Cuts UTF-8 into lines, holding one at a time. Only a line feed ends a line: Node's readline also cuts at U+2028, which
 * may stand inside JSON.
 */
export async function* splitLines(head: Buffer, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let number = 0;
  let begun: Uint8Array[] = [];
  for await (const chunk of chain(head, rest)) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      begun.push(chunk.subarray(start, end));
      yield decode(begun, ++number);
      begun = [];
      start = end + 1;
    }
    if (start < chunk.length) begun.push(chunk.subarray(start));
  }
  if (begun.length > 0) yield decode(begun, ++number);
}

async function* chain(head: Buffer, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  yield* rest;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(parts: readonly Uint8Array[], number: number): Line {
  const [bytes] = parts.length === 1 ? parts : [Buffer.concat(parts)];
  try {
    return { text: utf8.decode(bytes), number };
  } catch (cause) {
    throw brokenInput(`line ${number} is not UTF-8.`, cause);
  }
}
