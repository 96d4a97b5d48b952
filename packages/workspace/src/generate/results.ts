import { estimateTokens } from '@keepsake/internal';
import { cutToTokens } from './cut.ts';
import type { Staging } from './staging.ts';

const MAX_ACTIONS = 40;
/** Enough to say that an action was done, or why not. */
const MIN_RESULT = 20;

/** The results of a model's actions in its prompt. The oldest are left out if they would take too much room. */
export class Results {
  readonly #maxTokens: number;
  readonly #answers: { readonly text: string; readonly tokens: number }[] = [];

  constructor(maxTokens: number) {
    this.#maxTokens = maxTokens;
  }

  /** Does what the model asks for, and keeps the results. */
  act(staging: Staging, actions: readonly unknown[], turn: number): void {
    const results: string[] = [];
    // Half of the room, so that the previous results are still there.
    let left = this.#maxTokens / 2;
    for (const [index, action] of actions.slice(0, MAX_ACTIONS).entries()) {
      const { tool, path } = (action ?? {}) as { tool?: unknown; path?: unknown };
      const what = [tool, path].filter((part) => typeof part === 'string').join(' ');
      const result = cutToTokens(staging.act(action), Math.max(MIN_RESULT, Math.floor(left)), CUT);
      left -= estimateTokens(result);
      results.push(`${turn}.${index + 1} ${what.slice(0, 200)}\n${result}`);
    }
    if (actions.length > MAX_ACTIONS)
      results.push(`Only ${MAX_ACTIONS} actions are done at once; the others were not.`);
    this.add(results.join('\n'));
  }

  add(result: string): void {
    const text = `<results>\n${cutToTokens(result, Math.floor(this.#maxTokens * 0.9), CUT)}\n</results>`;
    this.#answers.push({ text, tokens: estimateTokens(text) });
  }

  /** The newest results that fit, in order. */
  get text(): string {
    let left = this.#maxTokens;
    const tooOld = this.#answers.findLastIndex(({ tokens }) => {
      left -= tokens;
      return left < 0;
    });
    const shown = this.#answers.slice(tooOld + 1).map(({ text }) => text);
    return [...(tooOld === -1 ? [] : [LEFT_OUT]), ...shown].join('\n\n');
  }
}

const CUT = '(cut here, since the results of one answer are limited: ask for less at once)';
const LEFT_OUT = '(Earlier results are left out. Your changes are kept. Read again what you still need.)';
