import type { Stretch } from '../disk/disk.ts';
import { type BatchFooter, type FooterInput, footerOf } from './batch-footer.ts';
import { type Fingerprint, fingerprintOf } from './fingerprint.ts';
import { encodeLine } from './log-line.ts';
import type { Envelope } from './log-reader.ts';

/** A batch to write. */
export interface BatchHead extends Pick<Envelope, 'first' | 'generation' | 'at'> {
  /** The offset of its first line in the file. */
  readonly start: number;
  /** For a batch of a session. */
  readonly footerInput?: FooterInput | undefined;
}

export interface EncodedBatch {
  readonly bytes: Buffer;
  /** The byte ranges of its lines. */
  readonly places: readonly Stretch[];
  /** Of its last line. */
  readonly mark: Fingerprint;
  readonly footer: BatchFooter | undefined;
  /** The length of the last line if that is an item or an operation, else 0. */
  readonly lastLiveBytes: number;
}

/** Writes a batch: each body, a JSON object as text, becomes a line with its envelope. */
export function encodeBatch(head: BatchHead, bodies: readonly string[]): EncodedBatch {
  const { first, generation, at, start, footerInput } = head;
  const last = first + bodies.length - 1;
  const lines = bodies.slice(0, -1).map((body, index) => {
    return encode({ first, last, number: first + index, generation, at }, body);
  });
  const footer =
    footerInput &&
    footerOf(
      footerInput,
      start,
      lines.map((line) => line.length),
      at,
    );
  const envelope = { first, last, number: last, generation, at, ...(footer ? { trail: footer } : {}) };
  const lastLine = encode(envelope, bodies.at(-1) as string);
  lines.push(lastLine);
  const places = placesOf(lines, start);
  return {
    bytes: Buffer.concat(lines),
    places,
    mark: fingerprintOf(lastLine, places.at(-1)?.offset as number),
    footer,
    lastLiveBytes: footerInput && footerInput.live > 0 ? lastLine.length : 0,
  };
}

function placesOf(lines: readonly Buffer[], start: number): Stretch[] {
  let end = start;
  return lines.map(({ length }) => {
    const offset = end;
    end += length;
    return { offset, end };
  });
}

function encode(envelope: Envelope, body: string): Buffer {
  return Buffer.from(encodeLine(`${JSON.stringify(envelope).slice(0, -1)},${body.slice(1)}`));
}
