import { RowReader, RowWriter } from './rows.ts';
import { decodeTexts, encodeList, type SectionReader, unusable } from './snapshot.ts';
import type { TurnFacts } from './turns.ts';

const COLUMNS = 8;
/** In the place of a time or a speaker. */
const NONE = -1;
/** The index of a turn may be too large for one number of a row. */
const LOW = 2 ** 32;

/** The sections that hold turns: of the record in each row what is known of it as a turn, `undefined` where it is none. */
export function packTurns(
  facts: readonly (TurnFacts | undefined)[],
): Record<'turns' | 'threads' | 'speakers', Uint8Array> {
  const rows = new RowWriter();
  const threads = new Numbering();
  const speakers = new Numbering();
  for (const [row, fact] of facts.entries()) {
    if (fact === undefined) continue;
    const { thread, index, speaker } = fact.turn;
    rows.write([
      row,
      threads.of(thread),
      Math.floor(index / LOW),
      index % LOW,
      speaker === undefined ? NONE : speakers.of(speaker),
      fact.time,
      Number(fact.asks),
      Number(fact.speaksOfTime),
    ]);
  }
  return { turns: rows.bytes, threads: encodeList(threads.names), speakers: encodeList(speakers.names) };
}

/** Reads what {@link packTurns} wrote: rows and what is in them. */
export function* unpackTurns(section: SectionReader): Iterable<readonly [number, TurnFacts]> {
  const rows = new RowReader(section('turns'), COLUMNS);
  const threads = decodeTexts(section('threads'));
  const speakers = decodeTexts(section('speakers'));
  while (!rows.atEnd) {
    const [row = 0, thread = 0, high = 0, low = 0, speaker = 0, time = 0, asks, speaksOfTime] = rows.read();
    const turn = { thread: threads[thread] ?? unusable(), index: high * LOW + low };
    const turnOf = speaker === NONE ? turn : { ...turn, speaker: speakers[speaker] ?? unusable() };
    yield [row, { turn: turnOf, time, asks: asks === 1, speaksOfTime: speaksOfTime === 1 }];
  }
}

/** Numbers names in the order in which they come. */
class Numbering {
  readonly #numbers = new Map<string, number>();

  of(name: string): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(name, number);
    }
    return number;
  }

  get names(): string[] {
    return [...this.#numbers.keys()];
  }
}
