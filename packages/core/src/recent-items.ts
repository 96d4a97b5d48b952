import { expect, expectWhole } from './expect.ts';
import type { Session } from './session.ts';
import { answeredItems, callIds, resultIds, startsTurn } from './tool-calls.ts';

/** How much of a history to take. A missing limit doesn't limit; all limits hold together. */
export interface RecentItemsOptions {
  /** At most so many items. */
  readonly maxItems?: number;
  /** At most so many turns; a turn begins with a message of the user. */
  readonly maxTurns?: number;
  /** At most so many tokens, as `countTokens` counts them. */
  readonly maxTokens?: number;
  /** The tokens of one item. By default an estimate: a quarter of the characters of its JSON. */
  readonly countTokens?: (item: object) => number;
}

/**
 * The newest part of a history that a model can go on from, oldest first.
 *
 * It begins where a turn of the user begins, and never parts a tool call from its result: calls without a result, as an
 * interrupted run leaves them (with the reasoning that led to them), and results without a call, as a cut or damage
 * leaves them, are left out. The newest turn always comes whole, with earlier turns whose calls it answers, even where
 * that is over a limit; a limit of 0 gives `[]`. Reads from the end, twice as many items each time, until it has seen
 * where the limits end.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for a limit that is no whole number of 0 or more, or a count of tokens that is
 *   no number.
 */
export async function recentItems<Item extends object>(
  session: Pick<Session<Item>, 'getItems'>,
  options: RecentItemsOptions,
): Promise<Item[]> {
  const { maxItems, maxTurns, maxTokens } = options;
  const limits = Object.entries({ maxItems, maxTurns, maxTokens }).filter(([, limit]) => limit !== undefined);
  for (const [name, limit] of limits) expectWhole(limit, name, 0);
  if (limits.some(([, limit]) => limit === 0)) return [];
  return answeredItems(await readWindow(session, options, limits.length === 0));
}

async function readWindow<Item extends object>(
  session: Pick<Session<Item>, 'getItems'>,
  options: RecentItemsOptions,
  everything: boolean,
): Promise<Item[]> {
  if (everything) return session.getItems();
  for (let count = 32; ; count *= 2) {
    const items = await session.getItems(count);
    const complete = items.length < count;
    const start = windowStart(items, options, complete);
    if (start !== undefined) return items.slice(start);
  }
}

/** Where the window starts in `items`, the newest of a history; `undefined` when earlier ones may belong to it. */
function windowStart(items: readonly object[], options: RecentItemsOptions, complete: boolean): number | undefined {
  const { maxItems = Infinity, maxTurns = Infinity, maxTokens = Infinity, countTokens = estimateTokens } = options;
  const unanswered = new Set<string>();
  let best: number | undefined;
  let nearest: number | undefined;
  let turns = 0;
  let tokens = 0;
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index] as object;
    for (const id of resultIds(item)) unanswered.add(id);
    for (const id of callIds(item)) unanswered.delete(id);
    tokens += checkTokens(countTokens(item));
    if (startsTurn(item)) turns++;
    const over = items.length - index > maxItems || turns > maxTurns || tokens > maxTokens;
    if (over && best !== undefined) return best;
    if (startsTurn(item) || (complete && index === 0)) {
      // The newest turn reaches back to the calls that it answers; beyond it, the limits alone decide.
      if (best !== undefined || unanswered.size === 0) best = index;
      if (!over || nearest === undefined) nearest = index;
    }
    // A turn before this one would be one too many, so it need not be read.
    if (best !== undefined && (over || (best === index && turns === maxTurns))) return best;
  }
  // Nowhere a call for a result of the newest turn, as after damage: the limits decide, and the result is left out.
  return complete ? (best ?? nearest ?? 0) : undefined;
}

function estimateTokens(item: object): number {
  return Math.ceil(JSON.stringify(item).length / 4);
}

function checkTokens(tokens: number): number {
  expect(typeof tokens === 'number' && tokens >= 0, 'countTokens is to give a number of 0 or more, and no promise.');
  return tokens;
}
