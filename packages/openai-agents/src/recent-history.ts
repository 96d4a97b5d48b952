import { type RecentItemsOptions, recentItems } from '@keepsake/core';
import { guarded } from '@keepsake/core/adapter';
import type { SessionInputCallback } from '@openai/agents';

/**
 * Limits the model's input to the recent part of a session's history, as selected by `recentItems`, plus the new input. For
 * `sessionInputCallback`. The session keeps everything.
 */
export function recentHistory(options: RecentItemsOptions): SessionInputCallback {
  const given = guarded('The options', () => ({ ...options }));
  return async (history, input) => {
    const session = { getItems: async (limit = history.length) => history.slice(Math.max(history.length - limit, 0)) };
    return [...(await recentItems(session, given)), ...input];
  };
}
