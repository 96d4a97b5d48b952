import { InMemorySessionStore, InMemoryStore } from '@keepsake/in-memory';
import { MemorySpace } from '@keepsake/namespaces';

/** Three agents, a pool for everyone, a pool that only Alice can write to, and a team. */
export const space = new MemorySpace({
  store: new InMemoryStore({ name: 'memory' }),
  sessions: new InMemorySessionStore(),
  agents: {
    researcher: { sharedNamespaces: ['org:engineering-docs', 'project:{agent_name}-shared'] },
    writer: { sharedNamespaces: ['org:engineering-docs'] },
    reviewer: { owner: 'alice' },
  },
  pools: {
    'org:engineering-docs': { readers: ['*'], writers: ['alice'] },
    'project:{agent_name}-shared': { readers: ['*'], writers: ['*'] },
  },
  teams: { 'research-team': { members: ['alice', 'bob'] } },
});
