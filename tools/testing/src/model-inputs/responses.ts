/* https://developers.openai.com/api/docs/guides/reasoning and https://developers.openai.com/api/docs/guides/function-calling */

/** An item of an input to the Responses API, or of the output of a model. */
export interface ResponsesItem {
  readonly type?: string | undefined;
  readonly role?: string | undefined;
  readonly id?: string | null | undefined;
  readonly call_id?: string | null | undefined;
  readonly content?: unknown;
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
  const open = new Set<string>();
  for (const [index, item] of items.entries()) {
    const { id, type = 'message', call_id, content } = item;
    if (Array.isArray(content) && content.length === 0 && type === 'message')
      return `Invalid 'input[${index}].content': empty array.`;
    const of = `Item '${id}' of type '${type}' was provided without its required`;
    if (type === 'reasoning' && !id) return `Missing required parameter: 'input[${index}].id'.`;
    if (type === 'reasoning' && !isFollower(items[index + 1], generated.followerOf(`${id}`), generated))
      return `${of} following item.`;
    const reason = id ? generated.reasonOf(id) : undefined;
    if (reason !== undefined && !ids.has(reason)) return `${of} 'reasoning' item: '${reason}'.`;
    if (id && ids.has(id)) return `Duplicate item found with id ${id}.`;
    if (id) ids.add(id);
    if (!call_id) continue;
    if (CALL.test(type)) open.add(call_id);
    if (RESULT.test(type) && !open.delete(call_id))
      return `No tool call found for function call output with call_id ${call_id}.`;
  }
  const [unanswered] = open;
  return unanswered && `No tool output found for function call ${unanswered}.`;
}

const CALL = /^(function|custom_tool|computer|local_shell|shell|apply_patch)_call$/;
const RESULT = /^(function|custom_tool|computer|local_shell|shell|apply_patch)_call_output$/;

/**
 * Whether this item can have followed reasoning.
 *
 * @param known - The id of the item that followed, if the service knows it.
 */
function isFollower(item: ResponsesItem | undefined, known: string | undefined, generated: GeneratedItems): boolean {
  if (item === undefined) return false;
  const { id, type = 'message', role } = item;
  if (known !== undefined && id !== known && (generated.keepsIds || (id && generated.has(id)))) return false;
  return type === 'message' ? role === 'assistant' : !type.endsWith('_output');
}
