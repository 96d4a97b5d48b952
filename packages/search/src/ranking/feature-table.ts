import type { MemoryRecord, Turn } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';
import { grow } from '../snapshot/grow.ts';
import { utteranceFlags } from '../text/utterance.ts';
import { Speakers } from './speakers.ts';
import { Threads } from './threads.ts';

/** What ranking knows about a document besides its words. */
export interface Features {
  /** When it was said, or last changed: in milliseconds since 1970. */
  readonly time: number;
  /** The bits of `utteranceFlags`. */
  readonly flags: number;
  /** Its turn, if it is from a conversation. */
  readonly turn?: Turn;
}

/** Later times than this, of the year 37,648, do not fit into a snapshot. */
const MAX_TIME = 2 ** 50;

/** The time of a turn is when it was said, even if it was stored later. The time of a fact is its last change. */
export function featuresOf({ content, createdAt, updatedAt, version, turn }: MemoryRecord): Features {
  const time = Date.parse(turn === undefined && putCount(version) > 1 ? updatedAt : createdAt);
  return {
    time: Math.max(-MAX_TIME, Math.min(time, MAX_TIME)),
    flags: utteranceFlags(content),
    ...(turn === undefined ? {} : { turn }),
  };
}

/** The features of the documents of an index. */
export class FeatureTable {
  readonly threads = new Threads();
  readonly speakers = new Speakers();
  #time = new Float64Array(0);
  #flags = new Uint8Array(0);

  /** Makes room for all documents below a number. */
  reserve(end: number): void {
    this.#time = grow(this.#time, end);
    this.#flags = grow(this.#flags, end);
  }

  add(document: number, { time, flags, turn }: Features): void {
    this.set(document, time, flags);
    if (turn !== undefined) this.setTurn(document, turn);
  }

  /** As `add`, for a document without a turn. */
  set(document: number, time: number, flags: number): void {
    this.reserve(document + 1);
    this.#time[document] = time;
    this.#flags[document] = flags;
  }

  setTurn(document: number, { thread, index, speaker }: Turn): void {
    this.threads.add(document, thread, index);
    if (speaker !== undefined) this.speakers.add(document, speaker);
  }

  /** Removes a document. Its number can be reused. */
  remove(document: number): void {
    this.threads.remove(document);
    this.speakers.remove(document);
  }

  /** When a document was said, or last changed: in milliseconds since 1970. */
  timeOf(document: number): number {
    return this.#time[document] as number;
  }

  /** Whether a document has all of some bits of `utteranceFlags`. */
  has(document: number, flags: number): boolean {
    return ((this.#flags[document] as number) & flags) === flags;
  }

  /** All features of a document. */
  of(document: number): Features {
    const thread = this.threads.nameOf(document);
    const speaker = this.speakers.nameOf(document);
    const features = { time: this.timeOf(document), flags: this.#flags[document] as number };
    if (thread === undefined) return features;
    const index = this.threads.indexOf(document);
    return { ...features, turn: { thread, index, ...(speaker === undefined ? {} : { speaker }) } };
  }
}
