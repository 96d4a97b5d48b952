import { type ConversationKind, ConversationMemory } from '@keepsake/conversations';
import type { Context } from '../context.ts';

/** The options that select conversations. */
export interface ConversationOptions {
  readonly kind?: ConversationKind;
  readonly user?: string;
  readonly tenant?: string | undefined;
}

/** Opens the conversations of the namespace in the options. Stores nothing and needs no model. */
export function openConversations(context: Context, { tenant }: ConversationOptions): ConversationMemory {
  return new ConversationMemory({ store: context.openStore(), tenant });
}

/** Opens one conversation: of the given user, or of any user if none is given. */
export function openConversation(context: Context, sessionId: string, options: ConversationOptions) {
  const { kind = 'agent', user } = options;
  return openConversations(context, options).for(kind, {
    sessionId,
    ...(user === undefined ? { allUsers: true } : { userId: user }),
  });
}
