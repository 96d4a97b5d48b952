import type { ConversationKind, ConversationMemory } from '@keepsake/conversations';
import type { Context } from '../context.ts';

/** The options that select conversations. */
export interface ConversationOptions {
  readonly kind?: ConversationKind;
  readonly user?: string;
  /** By default that of the configuration. */
  readonly tenant?: string | undefined;
}

/** Opens the conversations of the namespace in the options. Stores nothing and needs no model. */
export function openConversations(context: Context, { tenant }: ConversationOptions): Promise<ConversationMemory> {
  return context.config.conversations(tenant === undefined ? undefined : { tenant });
}

/** Opens one conversation: of the given user, or of any user if none is given. */
export function openConversation(memory: ConversationMemory, sessionId: string, options: ConversationOptions) {
  const { kind = 'agent', user } = options;
  return memory.for(kind, {
    sessionId,
    ...(user === undefined ? { allUsers: true } : { userId: user }),
  });
}
