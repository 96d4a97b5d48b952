import { describeMemoryStore } from '@keepsake/conformance';
import type { BedrockEmulatorOptions } from '@keepsake/emulators';
import { describe, it } from 'vitest';
import { type Setup, start } from './harness.ts';

/** Ingestion does not end automatically: the kit waits for it after each write. */
const MANAGED: BedrockEmulatorOptions = {
  pace: 'manual',
  knowledgeBases: [{ id: 'KB123', type: 'MANAGED', dataSources: [{ id: 'DS456', type: 'CUSTOM' }] }],
};

kit('Bedrock, custom documents', { pace: 'manual' }, ({ connection }) => connection);
kit('Bedrock, documents in S3', { pace: 'manual' }, ({ s3Connection }) => s3Connection);
kit('Bedrock, a managed base with one result per page', { ...MANAGED, pageSize: 1 }, ({ connection }) => connection);

function kit(name: string, options: BedrockEmulatorOptions, connect: (setup: Setup) => Setup['connection']): void {
  describeMemoryStore({
    name,
    describe,
    it,
    capabilities: { search: 'semantic', add: true, addMessages: false, filter: true },
    async harness() {
      const setup = await start(options);
      const connection = connect(setup);
      const settle = async () => setup.emulator.settle();
      return {
        open: (given = {}) => setup.store({ connection, ...given }),
        async fill(contents) {
          for (const content of contents) await setup.store({ connection }).add(content);
          await settle();
        },
        settle,
        close: () => setup.stop(),
      };
    },
  });
}
