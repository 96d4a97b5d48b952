import { MemoryError } from '@keepsake/core';
import { withDeadline } from '@keepsake/core/adapter';
import { estimateTokens } from '@keepsake/internal';
import { redactText } from '@keepsake/privacy';
import { saidIn } from '../profile/profile-input.ts';
import type { Run } from '../runs/run.ts';
import type { SessionBody, StoredSession } from '../runs/session.ts';
import { DEFAULT_MAX_TOKENS } from '../summary/model-summariser.ts';
import type { Summariser } from '../summary/summariser.ts';
import type { Updates } from './catch-up.ts';
import { DEADLINE_MS, tokensOfTexts } from './model-limits.ts';
import { NO_PROGRESS } from './progress.ts';

/** A longer summary is refused, because it goes into every prompt. */
const MAX_SUMMARY = 32_000;

/** Updates the summary of a session. */
export class SummaryUpdates implements Updates<string | undefined, string> {
  readonly processor = 'summary';
  readonly progress = 'summarised';
  readonly #summariser: Summariser;
  readonly #toolCalls: boolean;

  constructor(summariser: Summariser, toolCalls: boolean) {
    this.#summariser = summariser;
    this.#toolCalls = toolCalls;
  }

  /** Without the tokens of the previous summary, which is in the prompt, too. */
  maxTokens({ body }: StoredSession): number {
    const { maxTokens = DEFAULT_MAX_TOKENS } = this.#summariser;
    return maxTokens - Math.min(estimateTokens(body.summary ?? ''), maxTokens / 2);
  }

  tokensOf({ items }: Run): number {
    return tokensOfTexts(saidIn(items, this.#toolCalls).map(({ text }) => text));
  }

  async read({ body }: StoredSession): Promise<string | undefined> {
    return body.summary;
  }

  async ask(runs: readonly Run[], previous: string | undefined): Promise<string | undefined> {
    const said = runs.flatMap(({ items }) => saidIn(items, this.#toolCalls));
    if (said.length === 0) return undefined;
    const summarise = (signal: AbortSignal) => this.#summariser.summarise({ previous, said, signal });
    return checkSummary(await withDeadline(DEADLINE_MS, undefined, summarise));
  }

  async store(): Promise<void> {}

  /** Another process was faster, or an item was undone that the summary would include. */
  isOutdated(now: SessionBody, then: SessionBody): boolean {
    return now.summary !== then.summary || now.undone !== then.undone;
  }

  apply(body: SessionBody, summary: string): SessionBody {
    const { summary: text, summarised: progress = NO_PROGRESS } = body;
    return { ...body, summary, summaryBefore: { ...(text === undefined ? {} : { text }), progress } };
  }
}

function checkSummary(summary: unknown): string {
  if (typeof summary === 'string' && summary.trim() !== '' && summary.length <= MAX_SUMMARY) {
    return redactText(summary.trim());
  }
  throw new MemoryError('BACKEND', `The summariser gave no text, or one of more than ${MAX_SUMMARY} characters.`);
}
