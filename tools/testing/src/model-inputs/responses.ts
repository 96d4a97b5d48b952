/* https://developers.openai.com/api/docs/guides/reasoning and https://developers.openai.com/api/docs/guides/function-calling */

/** An item of an input to the Responses API, or of the output of a model. */
export interface ResponsesItem {
  readonly type?: string | undefined;
  readonly role?: string | undefined;
  readonly id?: string | null | undefined;
  readonly call_id?: string | null | undefined;
  readonly content?: unknown;
  readonly approval_request_id?: string | null | undefined;
  /** Of a call that a program makes, and its result. */
  readonly caller?: { readonly type?: string; readonly caller_id?: string } | null | undefined;
}

/** What the service knows of the output of its models, by the ids of items. */
export class GeneratedItems {
  readonly keepsIds: boolean;
  readonly #reasons = new Map<string, string>();
  readonly #followers = new Map<string, string>();
  readonly #ids = new Set<string>();

  /**
   * @param keepsIds - Whether an item without its id, or with a new one, is another item. Conversations of the service give
   *   items new ids, and SDKs leave those out.
   */
  constructor(keepsIds = false) {
    this.keepsIds = keepsIds;
  }

  /** Notes the output of one response. */
  add(output: readonly ResponsesItem[]): void {
    let reason: string | undefined;
    for (const [index, { id, type }] of output.entries()) {
      if (!id) continue;
      this.#ids.add(id);
      this.#reasons.delete(id);
      // A compaction stands for all that is before it, which may be left out.
      if (type === 'compaction') reason = undefined;
      if (type !== 'reasoning' && reason !== undefined) this.#reasons.set(id, reason);
      if (type !== 'reasoning') continue;
      reason = id;
      const follower = output[index + 1]?.id;
      if (follower) this.#followers.set(id, follower);
    }
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** The id of the reasoning that led to an item. */
  reasonOf(id: string): string | undefined {
    return this.#reasons.get(id);
  }

  /** The id of the item that followed reasoning. */
  followerOf(id: string): string | undefined {
    return this.#followers.get(id);
  }
}

/** Why the Responses API refuses the items of a conversation; `undefined` if it accepts them. */
export function responsesInputFault(
  items: readonly ResponsesItem[],
  generated = new GeneratedItems(),
): string | undefined {
  const ids = new Set<string>();
  const pairs = new Pairs();
  for (const [index, item] of items.entries()) {
    const { id, type = 'message', content } = item;
    if (Array.isArray(content) && content.length === 0 && type === 'message')
      return `Invalid 'input[${index}].content': empty array.`;
    const of = `Item '${id}' of type '${type}' was provided without its required`;
    if (NEEDS_ID.test(type) && !id) return `Missing required parameter: 'input[${index}].id'.`;
    if (type === 'reasoning' && !isFollower(items[index + 1], generated.followerOf(`${id}`), generated))
      return `${of} following item.`;
    const reason = id ? generated.reasonOf(id) : undefined;
    if (reason !== undefined && !ids.has(reason)) return `${of} 'reasoning' item: '${reason}'.`;
    if (id && ids.has(id)) return `Duplicate item found with id ${id}.`;
    if (id) ids.add(id);
    const fault = pairs.add(item);
    if (fault !== undefined) return fault;
  }
  return pairs.openFault();
}

/** Other items name these by their ids, or the service finds by these what it keeps of them. */
const NEEDS_ID = /^(reasoning|program|program_output|mcp_approval_request|local_shell_call_output)$/;

/** Calls and their results, approvals and what they are for, programs and their calls. */
class Pairs {
  /** The names of calls in messages of the service, by their kinds and ids. */
  readonly #open = new Map<string, string>();
  readonly #requests = new Set<string>();
  readonly #programs = new Set<string>();
  readonly #goesOn = new Set<string>();

  /** Why the item can't follow those before it. */
  add(item: ResponsesItem): string | undefined {
    const { type = 'message', id, call_id, approval_request_id, caller } = item;
    const program = caller?.caller_id;
    if (program !== undefined && !this.#programs.has(program)) return `No program found for caller ${program}.`;
    // A program goes on when the results of its calls are the last items.
    if (!type.endsWith('_output')) this.#goesOn.clear();
    else if (program !== undefined) this.#goesOn.add(`program ${program}`);
    if (type === 'mcp_approval_request') {
      this.#requests.add(`${id}`);
      this.#open.set(`approval ${id}`, `MCP approval requests do not have an approval: ${id}.`);
    }
    if (approval_request_id && !this.#requests.has(approval_request_id))
      return `No approval request found with id ${approval_request_id}.`;
    if (type === 'mcp_approval_response' && !this.#open.delete(`approval ${approval_request_id}`))
      return `The approval request ${approval_request_id} has an approval already.`;
    const [, kind = '', result] = CALL_OR_RESULT.exec(type) ?? [];
    // The only kind of result whose `id` is that of its call.
    const call = type === 'local_shell_call_output' ? (call_id ?? id) : call_id;
    if (kind === '' || !call) return undefined;
    const name = kind.replaceAll('_', ' ');
    if (result !== undefined)
      return this.#open.delete(`${kind} ${call}`)
        ? undefined
        : `No tool call found for ${name} output with call_id ${call}.`;
    if (kind === 'program') this.#programs.add(call);
    this.#open.set(`${kind} ${call}`, `No tool output found for ${name} ${call}.`);
    return undefined;
  }

  /** Why nothing may be open at the end. */
  openFault(): string | undefined {
    return [...this.#open].find(([key]) => !this.#goesOn.has(key))?.[1];
  }
}

/** Tools that the service runs have their results in their calls, except for these if they run there. */
const CALL_OR_RESULT =
  /^((?:function|custom_tool|computer|local_shell|shell|apply_patch)_call|program|tool_search(?=_(?:call|output)$))(?:_call)?(_output)?$/;

/**
 * Whether this item can have followed reasoning.
 *
 * @param known - The id of the item that followed, if the service knows it.
 */
function isFollower(item: ResponsesItem | undefined, known: string | undefined, generated: GeneratedItems): boolean {
  if (item === undefined) return false;
  const { id, type = 'message', role } = item;
  if (known !== undefined && id !== known && (generated.keepsIds || (id && generated.has(id)))) return false;
  return type === 'message' ? role === 'assistant' : !OF_CLIENT.test(type) && !type.endsWith('_output');
}

/** Items that no model generates. */
const OF_CLIENT = /^(mcp_approval_response|additional_tools|configuration_update|compaction_trigger|item_reference)$/;
