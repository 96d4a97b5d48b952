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
  if (typeof tokens === 'number' && tokens >= 0) return tokens;
  throw new MemoryError('INVALID_ARGUMENT', 'countTokens is to give a number of 0 or more, and no promise.');
}

/** A part of an item: the item itself, or a block of its content. Fields of the frameworks that we know. */
interface Part {
  readonly type?: unknown;
  readonly name?: unknown;
  readonly callId?: unknown;
  readonly call_id?: unknown;
  readonly id?: unknown;
  readonly approval_request_id?: unknown;
  readonly toolCallId?: unknown;
  readonly approvalId?: unknown;
  readonly toolUse?: { readonly toolUseId?: unknown } | null;
  readonly toolResult?: { readonly toolUseId?: unknown } | null;
  readonly providerData?: Part | null;
  readonly caller?: { readonly callerId?: unknown } | null;
}

function startsTurn(item: object): boolean {
  return 'role' in item && item.role === 'user' && resultIds(item).length === 0;
}

function callIds(item: object): string[] {
  return parts(item).flatMap((part) => {
    if (part.toolUse) return idOf('call', part.toolUse.toolUseId);
    if (part.type === 'tool-call') return idOf('call', part.toolCallId);
    if (part.type === 'tool-approval-request') return idOf('approval', part.approvalId);
    if (part.type === 'mcp_approval_request') return idOf('approval', part.id);
    return /(_call|^program)$/.test(String(part.type)) ? idOf('call', part.callId ?? part.call_id) : [];
  });
}

function resultIds(item: object): string[] {
  return parts(item).flatMap((part) => {
    if (part.toolResult) return idOf('call', part.toolResult.toolUseId);
    if (part.type === 'tool-result') return idOf('call', part.toolCallId);
    if (part.type === 'tool-approval-response') return idOf('approval', part.approvalId);
    if (part.type === 'mcp_approval_response') return idOf('approval', part.approval_request_id);
    // The one result whose `id` is that of its call.
    if (part.type === 'local_shell_call_output') return idOf('call', part.call_id ?? part.id);
    const isResult = /(_call_(result|output)|^(program|tool_search)_output)$/.test(String(part.type));
    return isResult ? idOf('call', part.callId ?? part.call_id) : [];
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
  // Approvals of hosted MCP tools stand in `providerData`, their kind in `name` or in both.
  const hosted = own.type === 'hosted_tool_call' ? [{ id: own.id, type: own.name, ...own.providerData }] : [];
  return [own, ...hosted, ...(blocks as Part[])];
}

/** Leaves out items that call without a result, or answer without a call, and the reasoning before such calls. */
function answeredItems<Item extends object>(items: Item[]): Item[] {
  let kept = items;
  // Again, since what goes may hold other calls and results, whose counterparts go then.
  for (let orphans = findOrphans(kept); orphans.size > 0; orphans = findOrphans(kept)) kept = without(orphans, kept);
  return kept;
}

function without<Item extends object>(orphans: ReadonlySet<object>, items: readonly Item[]): Item[] {
  const kept: Item[] = [];
  for (const item of items) {
    if (!orphans.has(item)) kept.push(item);
    else while (callIds(item).length > 0 && isReasoning(kept.at(-1))) kept.pop();
  }
  return kept;
}

/** Ids may come again in later turns, as some models count them, so each result is matched with the call before it. */
function findOrphans(items: readonly object[]): Set<object> {
  const open = new Map<string, object>();
  const called = new Set<string>();
  const orphans = new Set<object>();
  for (const item of items) {
    for (const id of callIds(item)) {
      const repeated = open.get(id);
      if (repeated !== undefined) orphans.add(repeated);
      open.set(id, item);
      called.add(id);
    }
    for (const id of resultIds(item)) if (!open.delete(id)) orphans.add(item);
    // What a program has called goes with the program.
    if (idOf('call', (item as Part).caller?.callerId).some((id) => !called.has(id))) orphans.add(item);
  }
  return new Set([...orphans, ...open.values()]);
}

function isReasoning(item: object | undefined): boolean {
  return item !== undefined && 'type' in item && item.type === 'reasoning';
}
