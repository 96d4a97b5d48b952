import type { MemoryModel } from '@keepsake/core';

type Request = Parameters<MemoryModel['generate']>[0];
type Answer = object | string | Error;

/** A scripted model that records its requests. It gives the answers in order and repeats the last one. */
export class ScriptedModel implements MemoryModel {
  readonly requests: Request[] = [];
  readonly #answers: Answer[];
  /** Computes the answer instead, if set. */
  answer: ((request: Request) => Answer) | undefined;

  constructor(...answers: Answer[]) {
    this.#answers = answers;
  }

  async generate(request: Request) {
    this.requests.push(request);
    const answer =
      this.answer?.(request) ?? (this.#answers.length > 1 ? this.#answers.shift() : this.#answers[0]) ?? {};
    if (answer instanceof Error) throw answer;
    return { text: typeof answer === 'string' ? answer : JSON.stringify(answer) };
  }
}
