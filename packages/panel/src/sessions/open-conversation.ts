import type { ConversationHandle } from '@keepsake/conversations';
import { oneOfElse, requiredText } from '../http/fields.ts';
import type { PanelParts } from '../panel-parts.ts';
import type { ConversationKind } from '../protocol.ts';

/** The names of a conversation in a query. */
export const CONVERSATION = {
  kind: oneOfElse('agent', 'team', 'workflow'),
  sessionId: requiredText(512),
} as const;

/** A conversation, whoever it belongs to. */
export async function openConversation(
  { config }: PanelParts,
  { kind, sessionId }: { readonly kind: ConversationKind; readonly sessionId: string },
): Promise<ConversationHandle> {
  return (await config.conversations()).for(kind, { sessionId, allUsers: true });
}
