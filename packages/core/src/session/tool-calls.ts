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
  /^(tool-(call|result|approval-request|approval-response)|mcp_(list_tools|approval_(request|response))|(program|tool_search)(_output)?|.*_call(_result|_output)?)$/;

/** Whether an item or a block is a call, a result, an approval or a list of tools. */
export function isToolPart(part: object): boolean {
  const { type, toolUse, toolResult, toolCallId } = part as Part;
  // In messages of user interfaces, the type contains the name of the tool.
  const isUiTool = typeof toolCallId === 'string' && isKind({ type }, /^(tool-.+|dynamic-tool)$/);
  return isUiTool || Boolean(toolUse ?? toolResult) || isKind({ type }, TOOL_PART);
}

/**
 * Calls without a result, and results without a call. Some models reuse ids in later turns, so each result is matched with the
 * call before it.
 */
export function findOrphans(items: readonly object[]): Set<object> {
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
