import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { type ConversationOptions, openConversation } from '../../open/open-conversations.ts';
import { printable } from '../../output/printable.ts';
import { showItem } from '../../output/show-item.ts';
import { dim } from '../../output/style.ts';
import { noteNothing } from '../common/note-nothing.ts';

export async function run(
  context: Context,
  [sessionId = '']: readonly string[],
  { limit, ...options }: ConversationOptions & { readonly limit?: number },
): Promise<ExitCode> {
  const { output } = context;
  const conversation = openConversation(context, sessionId, options);
  const session = await conversation.getSession();
  const items = session === undefined ? [] : await conversation.getMessages(limit);
  if (output.json) await output.value({ ...(session === undefined ? {} : { session }), items });
  if (session === undefined) {
    noteNothing(context, `There is no conversation ${sessionId} of kind ${conversation.kind}`);
    return EXIT.nothing;
  }
  if (output.json) return EXIT.fine;
  if (session.summary !== undefined) output.note(dim(printable(session.summary.text, { lines: true }), process.stderr));
  for (const item of items) await showItem(output, item);
  return EXIT.fine;
}
