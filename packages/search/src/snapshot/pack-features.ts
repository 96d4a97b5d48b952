import type { Turn } from '@keepsake/core';
import type { Features } from '../ranking/feature-table.ts';
import { RowReader, RowWriter } from './rows.ts';
import { decodeTexts, encodeList, type SectionReader, unusable } from './snapshot.ts';
import { endsStep, type Steps } from './steps.ts';

const COLUMNS = 7;
/** Stands for a missing thread or speaker. */
const NONE = -1;
/** The index of a turn may be too large for one number of a row. */
const LOW = 2 ** 32;

/** The sections with features, one row for each of `count` records, `undefined` for a record that is not searchable. */
export function* packFeatures(
  count: number,
  featuresOf: (row: number) => Features | undefined,
): Steps<Record<'features' | 'threads' | 'speakers', Uint8Array>> {
  const rows = new RowWriter();
  const threads = new Numbering();
  const speakers = new Numbering();
  for (let row = 0; row < count; row++) {
    if (endsStep(row)) yield;
    const known = featuresOf(row);
    if (known === undefined) continue;
    const { time, flags, turn } = known;
    const { thread, index = 0, speaker }: Partial<Turn> = turn ?? {};
    rows.write([
      row,
      time,
      flags,
      thread === undefined ? NONE : threads.of(thread),
      Math.floor(index / LOW),
      index % LOW,
      speaker === undefined ? NONE : speakers.of(speaker),
    ]);
  }
  return { features: rows.bytes, threads: encodeList(threads.names), speakers: encodeList(speakers.names) };
}

/** Reads the output of {@link packFeatures}, and calls `use` with each row. */
export function* unpackFeatures(section: SectionReader, use: (row: number, features: Features) => void): Steps<void> {
  const rows = new RowReader(section('features'), COLUMNS);
  const threads = yield* decodeTexts(section('threads'));
  const speakers = yield* decodeTexts(section('speakers'));
  for (let count = 0; !rows.atEnd; count++) {
    if (endsStep(count)) yield;
    const [row = 0, time = 0, flags = 0, thread = NONE, high = 0, low = 0, speaker = NONE] = rows.read();
    if (thread === NONE) {
      use(row, { time, flags });
      continue;
    }
    const turn = { thread: threads[thread] ?? unusable(), index: high * LOW + low };
    const said = speaker === NONE ? turn : { ...turn, speaker: speakers[speaker] ?? unusable() };
    use(row, { time, flags, turn: said });
  }
}

/** Numbers names in order of appearance. */
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
