/** A line without its line feed. Line numbers start at 1. */
export interface Line {
  /** `undefined` if it is not UTF-8. */
  readonly text: string | undefined;
  readonly number: number;
}

const LINE_FEED = 0x0a;

/**
 * Splits UTF-8 into lines, holding one in memory at a time. Only a line feed ends a line: Node's readline also splits at
 * U+2028, which JSON may contain.
 */
export async function* splitLines(head: Buffer, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let number = 0;
  let pending: Uint8Array[] = [];
  for await (const chunk of chain(head, rest)) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      pending.push(chunk.subarray(start, end));
      yield decode(pending, ++number);
      pending = [];
      start = end + 1;
    }
    if (start < chunk.length) pending.push(chunk.subarray(start));
  }
  if (pending.length > 0) yield decode(pending, ++number);
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
  } catch {
    return { text: undefined, number };
  }
}
