import { join } from 'node:path';
import { ConversationMemory } from '@keepsake/conversations';
import type { RecordStore, SessionStore } from '@keepsake/core';
import { localDirectory, userWorkspaces, type Workspace } from '@keepsake/workspace';
import { MemorySpace } from '../../src/index.ts';

/** An application that stores data of users with every package, all of which one call erases. */
export interface World {
  readonly space: MemorySpace;
  readonly store: RecordStore;
  readonly sessions: SessionStore;
  /** Where an application without a space puts data of a user. */
  own(user: string): RecordStore;
  /** The conversations of a tenant. */
  conversations(tenant: string | undefined): ConversationMemory;
  /** A workspace outside of the store. */
  workspaceOf(user: string): Workspace;
}

/** Names of tenants, also those that mark owners in namespaces. */
export const TENANTS = [undefined, 'acme', 'u', 'user'];

/**
 * Opens the world of a tenant called `u`, in a store that it may share with others.
 *
 * @param directory - Where the workspaces of users are.
 */
export function openWorld(root: RecordStore, sessions: SessionStore, directory: string): World {
  const store = root.within(['tenants', 'u']);
  const conversations = (tenant: string | undefined) =>
    new ConversationMemory({
      store,
      tenant,
      fullSessionMemory: true,
      summaryMemory: {
        summariser: {
          summarise: async ({ previous = '', said }) => [previous, ...said.map((one) => one.text)].join(' '),
        },
      },
      userAnalysisMemory: {
        dynamic: true,
        profiler: { analyse: async ({ said }) => ({ interests: said.map((one) => one.text) }) },
      },
    });
  const workspaceOf = (user: string) => localDirectory(join(directory, Buffer.from(user).toString('hex')));
  const everyone = { readers: ['*'], writers: ['*'] };
  const space = new MemorySpace({
    store,
    sessions,
    agents: { bot: { sharedNamespaces: ['docs'], autoMemory: true }, u: { name: 'u' } },
    pools: { docs: everyone },
    teams: { crew: { members: ['*'] } },
    userData: {
      ...Object.fromEntries(TENANTS.map((tenant) => [`conversations of ${tenant}`, conversations(tenant)])),
      workspaces: userWorkspaces(workspaceOf),
    },
  });
  return { space, store, sessions, own: (user) => store.within(['u', user]), conversations, workspaceOf };
}
