import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { type ConversationOptions, openConversation } from '../open-conversations.ts';
import { removeEach } from '../remove-each.ts';

export async function run(context: Context, ids: readonly string[], options: ConversationOptions): Promise<ExitCode> {
  const remove = (id: string) => openConversation(context, id, options).deleteSession();
  return removeEach(context.output, ids, remove, 'conversation');
}
