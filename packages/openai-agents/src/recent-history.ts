import { type RecentItemsOptions, recentItems } from '@keepsake/core';
import type { SessionInputCallback } from '@openai/agents';

/**
 * Has the model read the newest part of a session's history alone, as `recentItems` takes it, and the new input after
 * it. For `sessionInputCallback`; the session keeps everything.
 */
export function recentHistory(options: RecentItemsOptions): SessionInputCallback {
  return async (history, input) => {
    const session = { getItems: async (limit = history.length) => history.slice(Math.max(history.length - limit, 0)) };
    return [...(await recentItems(session, options)), ...input];
  };
}
