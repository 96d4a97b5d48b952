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
  readonly caller?: { readonly callerId?: unknown; readonly caller_id?: unknown } | null;
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
  return [own, ...providerParts(own), ...(blocks as Part[])];
}

/** What the OpenAI Agents SDK keeps in `providerData`. */
function providerParts({ type, id, name, callId, call_id, providerData }: Part): Part[] {
  // Approvals of hosted MCP tools. Their kind is in `name` or both.
  if (type === 'hosted_tool_call') return [{ id, type: name, ...providerData }];
  // An item of the service that the SDK doesn't know.
  if (type === 'unknown') return [{ ...providerData }];
  const isSearch = (callId ?? call_id ?? null) === null && isKind({ type }, /^tool_search_/);
  return isSearch ? [{ type, call_id: providerData?.call_id }] : [];
}

const TOOL_PART =
  /^(tool-(call|result|approval-request|approval-response)|mcp_(list_tools|approval_(request|response))|(program|tool_search)(_output)?|.*_call(_result|_output)?)$/;

/** In messages of user interfaces, the type contains the name of the tool. */
const UI_TOOL = /^(tool-.+|dynamic-tool)$/;

/** Whether an item or a block is a call, a result, an approval or a list of tools. */
export function isToolPart(part: object): boolean {
  const { type, toolUse, toolResult, toolCallId, providerData } = part as Part;
  const isUiTool = typeof toolCallId === 'string' && isKind({ type }, UI_TOOL);
  const kind = type === 'unknown' ? { type: providerData?.type } : { type };
  return isUiTool || Boolean(toolUse ?? toolResult) || isKind(kind, TOOL_PART);
}

/**
 * Whether a part of a message of a user interface is a call without a result, as when its answer was interrupted.
 *
 * @param isNewest - Whether it is in the newest message, whose calls the AI SDK runs when a user has decided about them.
 */
export function isOpenUiCall(
  { type, toolCallId, state }: { type?: unknown; toolCallId?: unknown; state?: unknown },
  isNewest: boolean,
): boolean {
  const isOpen = OPEN_STATES.includes(state) || (state === 'approval-responded' && !isNewest);
  return isOpen && typeof toolCallId === 'string' && isKind({ type }, UI_TOOL);
}

const OPEN_STATES: readonly unknown[] = ['input-streaming', 'input-available', 'approval-requested'];

/**
 * Calls without a result, and results without a call. Some models reuse ids in later turns, so each result is matched with the
 * call before it.
 *
 * In the AI SDK, a user decides about a call before it has a result: the SDK runs the calls that the newest message decides, and
 * hosted tools call again with the same id.
 */
export function findOrphans(items: readonly object[]): Set<object> {
  const { open, orphans } = matchCalls(items);
  return new Set([...orphans, ...open.values()]);
}

/** The tool calls and approval requests that have no answer yet, by ids that other ids can't equal. */
export function openCalls(items: readonly object[]): string[] {
  return [...matchCalls(items).open.keys()];
}

function matchCalls(items: readonly object[]) {
  const open = new Map<string, object>();
  const called = new Set<string>();
  const orphans = new Set<object>();
  const waiting = new Map<string, string>();
  const decided = new Set<string>();
  for (const [index, item] of items.entries()) {
    for (const id of callIds(item)) {
      const repeated = open.get(id);
      if (repeated !== undefined && !decided.delete(id)) orphans.add(repeated);
      open.set(id, item);
      called.add(id);
    }
    for (const [approval, call] of approvals(item)) waiting.set(approval, call);
    for (const id of resultIds(item)) {
      if (!open.delete(id)) orphans.add(item);
      const call = waiting.get(id);
      if (call === undefined) continue;
      if (index === items.length - 1) open.delete(call);
      else decided.add(call);
    }
    // The calls of a program are removed with the program.
    const callers = parts(item).flatMap(({ caller }) => idOf('call', caller?.callerId ?? caller?.caller_id));
    if (callers.some((id) => !called.has(id))) orphans.add(item);
  }
  return { open, orphans };
}

/** The approval requests of a message of the AI SDK, with the calls that they are about. */
function approvals(item: object): [approval: string, call: string][] {
  const requests = parts(item).filter(({ type }) => type === 'tool-approval-request');
  return requests.flatMap(({ approvalId, toolCallId }) => {
    const [approval] = idOf('approval', approvalId);
    const [call] = idOf('call', toolCallId);
    return approval === undefined || call === undefined ? [] : [[approval, call]];
  });
}
