import { answeredItems, callIds, isFileField, resultIds, startsTurn, TOKENS_OF_FILE } from '@keepsake/internal';
import { expectKnownFields, type FieldNames } from '../common/check-fields.ts';
import { expect, expectWhole } from '../common/expect.ts';
import type { Session } from './session.ts';

/** The limits of a window. All given limits apply. */
export interface RecentItemsOptions {
  /** The maximum number of items. */
  readonly maxItems?: number | undefined;
  /** The maximum number of turns. A turn begins with a message of the user. */
  readonly maxTurns?: number | undefined;
  /** The maximum number of tokens, as counted by `countTokens`. */
  readonly maxTokens?: number | undefined;
  /**
   * Counts the tokens of an item. @default A quarter of the characters of its JSON, and 1,500 for a picture or a file in Base64,
   * whatever its size.
   */
  readonly countTokens?: ((item: object) => number) | undefined;
}

/**
 * The newest part of a history that a model can continue from, oldest first.
 *
 * It begins with a turn of the user and never separates a tool call from its result. Left out are calls without a result, as
 * after an interrupted run, results without a call, and reasoning without the output that it led to, as after `popItem`. An
 * output that loses its reasoning loses its id, too, because the OpenAI API refuses one without the other. Messages of one
 * role in a row become one in the formats of Strands and, if their content is a list, the AI SDK. A call of the AI SDK that a
 * user has decided about stays while the SDK has still to run it. The newest turn is always complete, with earlier turns whose
 * calls it answers, even above a limit; a limit of 0 gives `[]`. Reads from the end, doubling the number of items until the
 * limits are reached.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for a limit that is not a whole number ≥ 0, or a token count that is not a number.
 */
export async function recentItems<Item extends object>(
  session: Pick<Session<Item>, 'getItems'>,
  options: RecentItemsOptions,
): Promise<Item[]> {
  const checkedOptions = expectKnownFields(options, RECENT_ITEMS);
  const { maxItems, maxTurns, maxTokens } = checkedOptions;
  const limits = Object.entries({ maxItems, maxTurns, maxTokens }).filter(([, limit]) => limit !== undefined);
  for (const [name, limit] of limits) expectWhole(limit, name, 0);
  if (limits.some(([, limit]) => limit === 0)) return [];
  return answeredItems(await readWindow(session, checkedOptions, limits.length === 0));
}

const RECENT_ITEMS: FieldNames<RecentItemsOptions> = {
  maxItems: true,
  maxTurns: true,
  maxTokens: true,
  countTokens: true,
};

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

/** The start of the window in `items`, the newest of a history; `undefined` if earlier items may belong to it. */
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
      // The newest turn extends back to the calls that it answers. Beyond it, the limits apply.
      if (best !== undefined || unanswered.size === 0) best = index;
      if (!over || nearest === undefined) nearest = index;
    }
    // An earlier turn would exceed the limit, so it need not be read.
    if (best !== undefined && (over || (best === index && turns === maxTurns))) return best;
  }
  // A result of the newest turn has no call, as after damage: the limits apply, and the result is left out.
  return complete ? (best ?? nearest ?? 0) : undefined;
}

function estimateTokens(item: object): number {
  let files = 0;
  const text = JSON.stringify(item, (key, value) => {
    if (!isFileField(key, value)) return value;
    files++;
    return '';
  });
  return Math.ceil(text.length / 4) + files * TOKENS_OF_FILE;
}

function checkTokens(tokens: number): number {
  expect(typeof tokens === 'number' && tokens >= 0, '`countTokens` must return a number ≥ 0, not a promise.');
  return tokens;
}
