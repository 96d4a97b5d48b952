import type { Turn } from '@keepsake/core';
import type { Steps } from '@keepsake/internal';
import type { Features } from '../ranking/feature-table.ts';
import { endsStep } from './ends-step.ts';
import { isWritable } from './rows.ts';
import { decodeTexts, encodeList, type SectionReader, type Sections, section, unusable } from './snapshot.ts';
import { bytesOf, readNumbers } from './stored-bytes.ts';

/** Stands for a missing thread or speaker. Names are counted from 1. */
const NONE = 0;

/** The sections with the features of `count` records, `undefined` for a record that is not searchable. */
export function* packFeatures(count: number, features: Iterable<Features | undefined>): Sections {
  const times = new Float64Array(count);
  const flags = new Uint8Array(count);
  const threads = new Numbering();
  const speakers = new Numbering();
  let turns: Turns | undefined;
  let row = 0;
  for (const documentFeatures of features) {
    if (documentFeatures !== undefined) {
      times[row] = documentFeatures.time;
      flags[row] = documentFeatures.flags;
    }
    if (documentFeatures?.turn !== undefined) {
      const { thread, index, speaker } = documentFeatures.turn;
      turns ??= turnsOf(count);
      turns.threads[row] = threads.of(thread);
      turns.indexes[row] = index;
      turns.speakers[row] = speaker === undefined ? NONE : speakers.of(speaker);
    }
    if (endsStep(row++)) yield;
  }
  yield* section('times', bytesOf(times));
  yield* section('flags', flags);
  // Nothing if no record is a turn.
  const { threads: threadOf, indexes, speakers: speakerOf } = turns ?? turnsOf(0);
  yield* section('thread of', bytesOf(threadOf));
  yield* section('index', bytesOf(indexes));
  yield* section('speaker of', bytesOf(speakerOf));
  yield* section('threads', encodeList(threads.names));
  yield* section('speakers', encodeList(speakers.names));
}

/**
 * Reads the output of {@link packFeatures}: the features of each record, in order, whatever they mean for one that is not
 * searchable. They are passed one by one, so that no object is made for each of a million records.
 */
export function* unpackFeatures(
  section: SectionReader,
  count: number,
  use: (row: number, time: number, flags: number, turn: Turn | undefined) => void,
): Steps<void> {
  const times = yield* readNumbers(expectLength(section('times'), 8 * count), new Float64Array(count));
  const flags = yield* readNumbers(expectLength(section('flags'), count), new Uint8Array(count));
  const turns = turnsOf(section('index').length === 0 ? 0 : count);
  yield* readNumbers(expectLength(section('thread of'), turns.threads.byteLength), turns.threads);
  yield* readNumbers(expectLength(section('index'), turns.indexes.byteLength), turns.indexes);
  yield* readNumbers(expectLength(section('speaker of'), turns.speakers.byteLength), turns.speakers);
  const threads = yield* decodeTexts(section('threads'));
  const speakers = yield* decodeTexts(section('speakers'));
  for (let row = 0; row < count; row++) {
    const time = times[row] as number;
    if (!isWritable(time)) unusable();
    use(row, time, flags[row] as number, turnAt(turns, row, threads, speakers));
    if (endsStep(row)) yield;
  }
}

interface Turns {
  readonly threads: Uint32Array;
  readonly indexes: Float64Array;
  readonly speakers: Uint32Array;
}

function turnsOf(count: number): Turns {
  return { threads: new Uint32Array(count), indexes: new Float64Array(count), speakers: new Uint32Array(count) };
}

function turnAt(turns: Turns, row: number, threads: readonly string[], speakers: readonly string[]): Turn | undefined {
  const number = turns.threads[row] ?? NONE;
  if (number === NONE) return undefined;
  const index = turns.indexes[row] as number;
  const turn = { thread: threads[number - 1] ?? unusable(), index: Number.isSafeInteger(index) ? index : unusable() };
  const speaker = turns.speakers[row] as number;
  return speaker === NONE ? turn : { ...turn, speaker: speakers[speaker - 1] ?? unusable() };
}

function expectLength<T extends { readonly length: number }>(stored: T, length: number): T {
  return stored.length === length ? stored : unusable();
}

/** Numbers names in order of appearance. */
class Numbering {
  readonly #numbers = new Map<string, number>();

  of(name: string): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#numbers.size + 1;
      this.#numbers.set(name, number);
    }
    return number;
  }

  get names(): string[] {
    return [...this.#numbers.keys()];
  }
}
