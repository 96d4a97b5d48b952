import { OpenedConfig } from '@keepsake/config';
import { FileSessionStore, FileStore } from '@keepsake/file';

/** What `keepsake.config.ts` of a project exports, opened. */
export function openMemory(directory: string): OpenedConfig {
  return new OpenedConfig(
    {
      memory: () => new FileStore({ directory, name: 'memory' }),
      sessions: () => new FileSessionStore({ directory }),
      space: {
        agents: { concierge: { sharedNamespaces: ['org:handbook'] } },
        pools: { 'org:handbook': { readers: ['*'], writers: ['*'] } },
      },
      conversations: { fullSessionMemory: true },
    },
    { path: directory },
  );
}
