/*
 * Tool calls and tool results in a history, in the formats of the OpenAI Agents SDK, the Responses API, Strands and the AI
 * SDK.
 */

/** An item or a block of its content, with the known fields of all frameworks. */
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

/** Whether this item begins a turn: a message of the user that is not a tool result. */
export function startsTurn(item: object): boolean {
  return 'role' in item && item.role === 'user' && resultIds(item).length === 0;
}

/** The tool calls or approval requests of an item. */
export function callIds(item: object): string[] {
  return parts(item).flatMap((part) => {
    if (part.toolUse) return idOf('call', part.toolUse.toolUseId);
    if (part.type === 'tool-call') return idOf('call', part.toolCallId);
    if (part.type === 'tool-approval-request') return idOf('approval', part.approvalId);
    if (part.type === 'mcp_approval_request') return idOf('approval', part.id);
    return isKind(part, /(_call|^program)$/) ? idOf('call', part.callId ?? part.call_id) : [];
  });
}

/** The tool calls or approval requests that an item answers. */
export function resultIds(item: object): string[] {
  return parts(item).flatMap((part) => {
    if (part.toolResult) return idOf('call', part.toolResult.toolUseId);
    if (part.type === 'tool-result') return idOf('call', part.toolCallId);
    if (part.type === 'tool-approval-response') return idOf('approval', part.approvalId);
    if (part.type === 'mcp_approval_response') return idOf('approval', part.approval_request_id);
    // The only kind of result whose `id` is that of its call.
    if (part.type === 'local_shell_call_output') return idOf('call', part.call_id ?? part.id);
    return isKind(part, /(_call_(result|output)|^(program|tool_search)_output)$/)
      ? idOf('call', part.callId ?? part.call_id)
      : [];
  });
}

/** Whether the type of a part, which can be any JSON, is a text that matches. */
function isKind({ type }: Part, pattern: RegExp): boolean {
  return typeof type === 'string' && pattern.test(type);
}

function idOf(kind: 'call' | 'approval', id: unknown): string[] {
  return typeof id === 'string' ? [`${kind} ${id}`] : [];
}

function parts(item: object): Part[] {
  const own = item as Part & { readonly content?: unknown };
  const blocks = Array.isArray(own.content)
    ? own.content.filter((block) => typeof block === 'object' && block !== null)
    : [];
  // Approvals of hosted MCP tools are in `providerData`, their kind is in `name` or both.
  const hosted = own.type === 'hosted_tool_call' ? [{ id: own.id, type: own.name, ...own.providerData }] : [];
  return [own, ...hosted, ...(blocks as Part[])];
}

const TOOL_PART =
  /^(tool-(call|result|approval-request|approval-response)|mcp_approval_(request|response)|(program|tool_search)(_output)?|.*_call(_result|_output)?)$/;

function isToolPart({ type, toolUse, toolResult }: Part): boolean {
  return Boolean(toolUse ?? toolResult) || isKind({ type }, TOOL_PART);
}

/**
 * A history without tools: no calls, results or approvals, and no reasoning right before an item that is left out. Keeps the
 * other content of messages.
 */
export function withoutToolCalls<Item extends object>(items: readonly Item[]): Item[] {
  const kept: Item[] = [];
  for (const item of items) {
    const rest = isToolPart(item as Part) ? undefined : withoutToolBlocks(item);
    if (rest !== undefined) kept.push(rest);
    else while (isReasoning(kept.at(-1))) kept.pop();
  }
  return kept;
}

/** Returns the same object if it has no tool blocks, or `undefined` if it has no others. */
function withoutToolBlocks<Item extends object>(item: Item): Item | undefined {
  const { content } = item as { readonly content?: unknown };
  if (!Array.isArray(content)) return item;
  const blocks = content.filter((block) => typeof block !== 'object' || block === null || !isToolPart(block));
  if (blocks.length === content.length) return item;
  return blocks.length === 0 ? undefined : { ...item, content: blocks };
}

/** Leaves out calls without a result, results without a call, and the reasoning before such calls. */
export function answeredItems<Item extends object>(items: Item[]): Item[] {
  let kept = items;
  // Repeated, because a removed item may contain other calls and results, whose counterparts must go, too.
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

/** Some models reuse ids in later turns, so each result is matched with the call before it. */
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
    // The calls of a program are removed with the program.
    if (idOf('call', (item as Part).caller?.callerId).some((id) => !called.has(id))) orphans.add(item);
  }
  return new Set([...orphans, ...open.values()]);
}

function isReasoning(item: object | undefined): boolean {
  return item !== undefined && 'type' in item && item.type === 'reasoning';
}
