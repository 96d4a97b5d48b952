import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { type ConversationOptions, openConversation, openConversations } from '../../open/open-conversations.ts';
import { conversationIds } from '../common/ids.ts';
import { removeEach } from '../common/remove-each.ts';

export async function run(context: Context, ids: readonly string[], options: ConversationOptions): Promise<ExitCode> {
  const memory = await openConversations(context, options);
  return removeEach(context.output, ids, {
    what: 'conversation',
    remove: (id) => openConversation(memory, id, options).deleteSession(),
    idsLike: () => conversationIds(memory, options),
  });
}
