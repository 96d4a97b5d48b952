import type { Turn } from '@keepsake/core';
import { grow } from './grow.ts';
import { Speakers } from './speakers.ts';
import { Threads } from './threads.ts';
import { isQuestion, speaksOfTime } from './utterance.ts';

/** What is kept of a turn beside its words. */
export interface TurnFacts {
  readonly turn: Turn;
  /** When it was said, in milliseconds since 1970. */
  readonly time: number;
  readonly asks: boolean;
  readonly speaksOfTime: boolean;
}

const ASKS = 1;
const SPEAKS_OF_TIME = 2;

/** Reads from an utterance what ranking wants to know. */
export function factsOf(utterance: { readonly content: string; readonly createdAt: string }, turn: Turn): TurnFacts {
  const { content, createdAt } = utterance;
  return { turn, time: Date.parse(createdAt), asks: isQuestion(content), speaksOfTime: speaksOfTime(content) };
}

/** The turns among the documents of an index. */
export class Turns {
  readonly threads = new Threads();
  readonly speakers = new Speakers();
  #time = new Float64Array(0);
  /** By document; 0 also where there is no turn. */
  #flags = new Uint8Array(0);
  #size = 0;

  /** How many documents are turns. */
  get size(): number {
    return this.#size;
  }

  add(document: number, { turn, time, asks, speaksOfTime }: TurnFacts): void {
    this.threads.add(document, turn.thread, turn.index);
    if (turn.speaker !== undefined) this.speakers.add(document, turn.speaker);
    this.#time = grow(this.#time, document + 1);
    this.#flags = grow(this.#flags, document + 1);
    this.#time[document] = time;
    this.#flags[document] = (asks ? ASKS : 0) | (speaksOfTime ? SPEAKS_OF_TIME : 0);
    this.#size++;
  }

  /** Removes the turn of a document, where it has one. */
  remove(document: number): void {
    if (!this.has(document)) return;
    this.threads.remove(document);
    this.speakers.remove(document);
    this.#flags[document] = 0;
    this.#size--;
  }

  has(document: number): boolean {
    return this.threads.nameOf(document) !== undefined;
  }

  /** Of a turn, when it was said: in milliseconds since 1970. */
  timeOf(document: number): number {
    return this.#time[document] as number;
  }

  asks(document: number): boolean {
    return ((this.#flags[document] ?? 0) & ASKS) !== 0;
  }

  speaksOfTime(document: number): boolean {
    return ((this.#flags[document] ?? 0) & SPEAKS_OF_TIME) !== 0;
  }

  /** All that was added of a document; `undefined` where it is no turn. */
  factsOf(document: number): TurnFacts | undefined {
    const thread = this.threads.nameOf(document);
    if (thread === undefined) return undefined;
    const speaker = this.speakers.nameOf(document);
    return {
      turn: { thread, index: this.threads.indexOf(document), ...(speaker === undefined ? {} : { speaker }) },
      time: this.timeOf(document),
      asks: this.asks(document),
      speaksOfTime: this.speaksOfTime(document),
    };
  }
}
