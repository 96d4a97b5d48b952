import { sentencesOf, statementsIn } from './sentences.ts';

const BEGINNING = '(?:(?:oh|well|no|wait|oops|sorry|actually|correction|rather)[,.:!]? )';
/** Says something else about what was said before, which it only calls "it": sorry, it's 5; no, she is 35; make that 5. */
const CORRECTION = new RegExp(
  `^${BEGINNING}+(?:(?:it|they|he|she)(?:['’](?:s|re)| is| are| was| were)|make (?:it|that)|i mean|i meant)\\b|^(?:make (?:it|that)|i meant)\\b`,
  'iu',
);

/** What was last stated in a conversation, so that a correction is found by the words of what it corrects. */
export class LastStatement {
  #sentence = '';

  /** A message as it is remembered: a correction with the sentence that it corrects before it. */
  withCorrected(text: string): string {
    if (CORRECTION.test(text)) return `${this.#sentence} ${text}`.trimStart();
    this.#sentence = sentencesOf(statementsIn(text)).at(-1) ?? this.#sentence;
    return text;
  }

  clear(): void {
    this.#sentence = '';
  }
}
