import { MemorySpace, type MemorySpaceOptions } from '@keepsake/namespaces';
import type { Context } from '../context.ts';

/** Opens a `MemorySpace` in the namespace of the options, passes it to `use`, and closes it. */
export async function withSpace<Result>(
  context: Context,
  use: (space: MemorySpace) => Promise<Result>,
  agents: MemorySpaceOptions['agents'] = {},
): Promise<Result> {
  const space = new MemorySpace({ store: context.openStore(), sessions: context.openSessions(), agents });
  try {
    return await use(space);
  } finally {
    await space.close();
  }
}

/** The options that select a principal. */
export interface PrincipalOptions {
  readonly service?: boolean;
}

/** The principal with this id: a service if `service` is set, otherwise a user. */
export function principalOf(id: string, { service = false }: PrincipalOptions) {
  return { id, type: service ? ('service' as const) : ('user' as const) };
}
