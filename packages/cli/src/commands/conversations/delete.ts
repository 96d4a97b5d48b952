import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { type ConversationOptions, openConversation } from '../../open/open-conversations.ts';
import { removeEach } from '../common/remove-each.ts';

export async function run(context: Context, ids: readonly string[], options: ConversationOptions): Promise<ExitCode> {
  const remove = (id: string) => openConversation(context, id, options).deleteSession();
  return removeEach(context.output, ids, remove, 'conversation');
}
