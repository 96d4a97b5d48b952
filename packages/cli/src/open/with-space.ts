import { MemorySpace, type MemorySpaceOptions } from '@keepsake/namespaces';
import type { Context } from '../context.ts';

/** Opens a `MemorySpace` in the namespace of the options, passes it to `use`, and closes it. */
export async function withSpace<Result>(
  context: Context,
  use: (space: MemorySpace) => Promise<Result>,
  options: Partial<Pick<MemorySpaceOptions, 'agents' | 'userData' | 'userNamespaces'>> = {},
): Promise<Result> {
  const [store, sessions] = [context.openStore(), context.openSessions()];
  const space = new MemorySpace({ store, sessions, agents: {}, ...options });
  try {
    return await use(space);
  } finally {
    await space.close();
  }
}

/** The options that select a principal and its namespaces. */
export interface PrincipalOptions {
  readonly service?: boolean;
  /** Patterns of the namespaces that belong to users. */
  readonly userNamespace?: readonly string[];
}

/** The principal with this id: a service if `service` is set, otherwise a user. */
export function principalOf(id: string, { service = false }: PrincipalOptions) {
  return { id, type: service ? ('service' as const) : ('user' as const) };
}
