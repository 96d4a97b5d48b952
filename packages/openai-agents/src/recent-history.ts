import { type RecentItemsOptions, recentItems } from '@keepsake/core';
import { guarded } from '@keepsake/core/adapter';
import { resultIds } from '@keepsake/internal';
import type { AgentInputItem, SessionInputCallback } from '@openai/agents';

/**
 * Limits the model's input to the recent part of a session's history, as selected by `recentItems`, plus the new input. For
 * `sessionInputCallback`. The session keeps everything.
 *
 * Results in the input belong to the newest turn, so that the calls that they answer stay.
 */
export function recentHistory(options: RecentItemsOptions): SessionInputCallback {
  const copiedOptions = guarded('The options', () => ({ ...options }));
  return async (history, input) => {
    const answers = input.filter((item) => resultIds(item).length > 0);
    const added = [...answers, ...answers.flatMap(programOutput)];
    const items = [...history, ...added];
    const session = { getItems: async (limit = items.length) => items.slice(Math.max(items.length - limit, 0)) };
    const recent = await recentItems(session, copiedOptions);
    return [...recent.filter((item) => !added.includes(item)), ...input];
  };
}

/** Stands for what the program whose call is answered gives when it goes on, so that the program stays, too. */
function programOutput(item: AgentInputItem): AgentInputItem[] {
  const { caller } = item as { readonly caller?: { readonly type?: unknown; readonly callerId?: unknown } };
  if (typeof caller?.callerId !== 'string') return [];
  return [{ type: 'program_output', callId: caller.callerId, output: '', status: 'completed' }];
}
