import type { AgentInputItem } from '@openai/agents';

/** The items of a run so far, known from the input of its model calls. */
export class RunSteps {
  /** Starts with the user's input, and later includes each complete round of tool calls. */
  items: readonly AgentInputItem[];
  #lastInput: { readonly count: number; readonly last: string };

  /**
   * @param before - What the model gets of earlier turns and of this run, apart from new items.
   * @param items - The items of this run in it.
   */
  constructor(before: readonly AgentInputItem[], items: readonly AgentInputItem[]) {
    this.items = items;
    this.#lastInput = lastOf(before);
  }

  /** Adds the new items in the input of a model call. Returns whether there are any. */
  add(input: readonly AgentInputItem[]): boolean {
    const { count, last } = this.#lastInput;
    // Otherwise a handoff has rewritten the history. Then only the result has all items.
    const isContinued = lastOf(input.slice(0, count)).last === last;
    if (!isContinued || input.length === count) return false;
    this.items = [...this.items, ...input.slice(count)];
    this.#lastInput = lastOf(input);
    return true;
  }
}

function lastOf(items: readonly AgentInputItem[]) {
  return { count: items.length, last: JSON.stringify(items.at(-1)) ?? '' };
}
