import type { MemorySpace, Principal } from '@keepsake/namespaces';
import type { Context } from '../context.ts';
import { openConversations } from './open-conversations.ts';

/** The options that select a principal and its data. */
export interface UserOptions {
  readonly service?: boolean;
  /** Patterns of the namespaces that belong to users. By default those of the configuration. */
  readonly userNamespace?: readonly string[];
  /** The tenant of the conversations. By default that of the configuration. */
  readonly tenant?: string;
}

/** The principal with this id, a service if `service` is set, and the space that has its data. */
export async function openUser(
  context: Context,
  id: string,
  { service = false, userNamespace, tenant }: UserOptions,
): Promise<{ readonly space: MemorySpace; readonly principal: Principal }> {
  const { userData } = context.config.configuration.space ?? {};
  const space = await context.config.space({
    userData: { ...userData, conversations: await openConversations(context, { tenant }) },
    ...(userNamespace !== undefined && { userNamespaces: userNamespace }),
  });
  return { space, principal: { id, type: service ? 'service' : 'user' } };
}
