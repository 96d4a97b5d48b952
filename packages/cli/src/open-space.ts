import { MemorySpace, type MemorySpaceOptions } from '@keepsake/namespaces';
import type { Context } from './context.ts';

/** The memory of users, agents and pools in the namespace that was asked for. */
export function openSpace(context: Context, agents: MemorySpaceOptions['agents'] = {}): MemorySpace {
  return new MemorySpace({ store: context.openStore(), sessions: context.openSessions(), agents });
}

/** The options that say who is meant. */
export interface PrincipalOptions {
  readonly service?: boolean;
}

/** Who is meant by an id: a user, or a service. */
export function principalOf(id: string, { service = false }: PrincipalOptions) {
  return { id, type: service ? ('service' as const) : ('user' as const) };
}
