import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { type ConversationOptions, openConversation, openConversations } from '../../open/open-conversations.ts';
import { printable } from '../../output/printable.ts';
import { showItem } from '../../output/show-item.ts';
import { dim } from '../../output/style.ts';
import { findByPrefix, typedId } from '../common/find-by-prefix.ts';
import { conversationIds } from '../common/ids.ts';
import { noteNothing } from '../common/note-nothing.ts';

export async function run(
  context: Context,
  [text = '']: readonly string[],
  { limit, ...options }: ConversationOptions & { readonly limit?: number },
): Promise<ExitCode> {
  const { output } = context;
  const idOrPrefix = typedId(text);
  const memory = await openConversations(context, options);
  let conversation = openConversation(memory, idOrPrefix, options);
  let session = await conversation.getSession();
  const id = session === undefined ? await findByPrefix(idOrPrefix, conversationIds(memory, options)) : undefined;
  if (id !== undefined) {
    conversation = openConversation(memory, id, options);
    session = await conversation.getSession();
  }
  const items = session === undefined ? [] : await conversation.getMessages(limit);
  if (output.json) await output.value({ ...(session === undefined ? {} : { session }), items });
  if (session === undefined) {
    noteNothing(context, `There is no conversation ${idOrPrefix} of kind ${conversation.kind}`);
    return EXIT.nothing;
  }
  if (output.json) return EXIT.fine;
  if (session.summary !== undefined) output.note(dim(printable(session.summary.text, { lines: true }), output.stderr));
  for (const item of items) await showItem(output, item);
  return EXIT.fine;
}
