import { type ConversationKind, ConversationMemory } from '@keepsake/conversations';
import type { Context } from './context.ts';

/** Whose conversations a command is about. */
export interface ConversationOptions {
  readonly kind?: ConversationKind;
  readonly user?: string;
}

/** The conversations of the namespace that was asked for. Keeps nothing by itself, and needs no model. */
export function openConversations(context: Context): ConversationMemory {
  return new ConversationMemory({ store: context.openStore() });
}

/** One of them: of a user, where one is named, and else whosever it is. */
export function openConversation(context: Context, sessionId: string, { kind = 'agent', user }: ConversationOptions) {
  return openConversations(context).for(kind, { sessionId, userId: user ?? null });
}
