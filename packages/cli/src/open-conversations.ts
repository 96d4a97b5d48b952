import { type ConversationKind, ConversationMemory } from '@keepsake/conversations';
import type { Context } from './context.ts';

/** Whose conversations a command is about. */
export interface ConversationOptions {
  readonly kind?: ConversationKind;
  readonly user?: string;
  readonly tenant?: string | undefined;
}

/** The conversations of the namespace that was asked for. Keeps nothing by itself, and needs no model. */
export function openConversations(context: Context, { tenant }: ConversationOptions): ConversationMemory {
  return new ConversationMemory({ store: context.openStore(), tenant });
}

/** One of them: of a user, where one is named, and else whosever it is. */
export function openConversation(context: Context, sessionId: string, options: ConversationOptions) {
  const { kind = 'agent', user } = options;
  return openConversations(context, options).for(kind, { sessionId, userId: user ?? null });
}
