import type { Stretch } from '../disk/disk.ts';
import { type Footing, type Trail, trailOf } from './batch-footer.ts';
import { type Mark, markOf } from './fingerprint.ts';
import { encodeLine } from './log-line.ts';
import type { Envelope } from './log-reader.ts';

/** A batch to be written. */
export interface BatchHead extends Pick<Envelope, 'first' | 'generation' | 'at'> {
  /** Where its first line will stand in the file. */
  readonly start: number;
  /** For a batch of a session. */
  readonly footing?: Footing | undefined;
}

export interface EncodedBatch {
  readonly bytes: Buffer;
  /** Where its lines will stand. */
  readonly places: readonly Stretch[];
  /** Of its last line. */
  readonly mark: Mark;
  readonly trail: Trail | undefined;
  /** The length of the last line where that holds an item or an operation, else 0. */
  readonly lastLiveBytes: number;
}

/** Writes a batch: each body, a JSON object as text, becomes a line with its envelope. */
export function encodeBatch(head: BatchHead, bodies: readonly string[]): EncodedBatch {
  const { first, generation, at, start, footing } = head;
  const last = first + bodies.length - 1;
  const lines = bodies.slice(0, -1).map((body, index) => {
    return encode({ first, last, number: first + index, generation, at }, body);
  });
  const trail =
    footing &&
    trailOf(
      footing,
      start,
      lines.map((line) => line.length),
      at,
    );
  const envelope = { first, last, number: last, generation, at, ...(trail ? { trail } : {}) };
  const lastLine = encode(envelope, bodies.at(-1) as string);
  lines.push(lastLine);
  const places = placesOf(lines, start);
  return {
    bytes: Buffer.concat(lines),
    places,
    mark: markOf(lastLine, places.at(-1)?.offset as number),
    trail,
    lastLiveBytes: footing && footing.live > 0 ? lastLine.length : 0,
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
