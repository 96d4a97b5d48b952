import { MemoryError } from './errors.ts';
import type { Session } from './session.ts';

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
 * It begins where a turn of the user begins, and never parts a tool call from its result: neither across the cut, nor
 * where a run was interrupted, whose unanswered calls (with the reasoning that led to them) are left out. The newest
 * turn always comes whole, even where it alone is over a limit; a limit of 0 gives `[]`. Reads from the end, and no
 * more than about twice what it gives.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for a limit that is no whole number of 0 or more.
 */
export async function recentItems<Item extends object>(
  session: Pick<Session<Item>, 'getItems'>,
  options: RecentItemsOptions,
): Promise<Item[]> {
  const limits = [options.maxItems, options.maxTurns, options.maxTokens].filter((limit) => limit !== undefined);
  for (const limit of limits) {
    if (!Number.isSafeInteger(limit) || limit < 0) {
      throw new MemoryError(
        'INVALID_ARGUMENT',
        'maxItems, maxTurns and maxTokens are to be whole numbers of 0 or more.',
      );
    }
  }
  if (limits.includes(0)) return [];
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
  let turns = 0;
  let tokens = 0;
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index] as object;
    for (const id of resultIds(item)) unanswered.add(id);
    for (const id of callIds(item)) unanswered.delete(id);
    tokens += countTokens(item);
    if (startsTurn(item)) turns++;
    const over = items.length - index > maxItems || turns > maxTurns || tokens > maxTokens;
    if (over && best !== undefined) return best;
    const wholeHistory = complete && index === 0;
    if (wholeHistory || (startsTurn(item) && unanswered.size === 0)) best = index;
    if (over && best !== undefined) return best;
  }
  return complete ? (best ?? 0) : undefined;
}

function estimateTokens(item: object): number {
  return Math.ceil(JSON.stringify(item).length / 4);
}

/** A part of an item: the item itself, or a block of its content. Fields of the frameworks that we know. */
interface Part {
  readonly type?: unknown;
  readonly callId?: unknown;
  readonly call_id?: unknown;
  readonly id?: unknown;
  readonly approval_request_id?: unknown;
  readonly toolCallId?: unknown;
  readonly toolUse?: { readonly toolUseId?: unknown };
  readonly toolResult?: { readonly toolUseId?: unknown };
  readonly providerData?: Part;
}

function startsTurn(item: object): boolean {
  return 'role' in item && item.role === 'user' && resultIds(item).length === 0;
}

function callIds(item: object): string[] {
  return parts(item).flatMap((part) => {
    if (part.toolUse !== undefined) return idOf('call', part.toolUse.toolUseId);
    if (part.type === 'tool-call') return idOf('call', part.toolCallId);
    if (part.type === 'mcp_approval_request') return idOf('approval', part.id);
    return typeof part.type === 'string' && part.type.endsWith('_call')
      ? idOf('call', part.callId ?? part.call_id)
      : [];
  });
}

function resultIds(item: object): string[] {
  return parts(item).flatMap((part) => {
    if (part.toolResult !== undefined) return idOf('call', part.toolResult.toolUseId);
    if (part.type === 'tool-result') return idOf('call', part.toolCallId);
    if (part.type === 'mcp_approval_response') return idOf('approval', part.approval_request_id);
    const isResult = typeof part.type === 'string' && /_call_(result|output)$/.test(part.type);
    return isResult ? idOf('call', part.callId ?? part.call_id ?? part.id) : [];
  });
}

function idOf(kind: 'call' | 'approval', id: unknown): string[] {
  return typeof id === 'string' ? [`${kind} ${id}`] : [];
}

function parts(item: object): Part[] {
  const own = item as Part & { readonly content?: unknown };
  const blocks = Array.isArray(own.content)
    ? own.content.filter((block) => typeof block === 'object' && block !== null)
    : [];
  // Hosted MCP approvals stand in `providerData` of an item of another type.
  return [own, ...(own.providerData === undefined ? [] : [own.providerData]), ...(blocks as Part[])];
}

/** Leaves out items that call without a result, or answer without a call, and the reasoning before such calls. */
function answeredItems<Item extends object>(items: Item[]): Item[] {
  const calls = new Set(items.flatMap(callIds));
  const results = new Set(items.flatMap(resultIds));
  const orphan = (item: object) =>
    callIds(item).some((id) => !results.has(id)) || resultIds(item).some((id) => !calls.has(id));
  const kept: Item[] = [];
  for (const item of items) {
    if (!orphan(item)) kept.push(item);
    else while (callIds(item).length > 0 && isReasoning(kept.at(-1))) kept.pop();
  }
  return kept;
}

function isReasoning(item: object | undefined): boolean {
  return item !== undefined && 'type' in item && item.type === 'reasoning';
}
