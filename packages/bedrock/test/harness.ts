import { BedrockAgentClient } from '@aws-sdk/client-bedrock-agent';
import { BedrockAgentRuntimeClient } from '@aws-sdk/client-bedrock-agent-runtime';
import { S3Client } from '@aws-sdk/client-s3';
import { type BedrockEmulator, type BedrockEmulatorOptions, startBedrock } from '@keepsake/emulators';
import { onTestFinished } from 'vitest';
import {
  type BedrockConnection,
  BedrockKnowledgeBaseStore,
  type BedrockKnowledgeBaseStoreOptions,
} from '../src/index.ts';

/** An emulator, and real AWS clients connected to it. */
export interface Setup {
  readonly emulator: BedrockEmulator;
  /** The connection to the data source of custom documents. */
  readonly connection: BedrockConnection;
  /** The connection to the data source in S3. */
  readonly s3Connection: BedrockConnection;
  /** A writable store for Alice. */
  store(options?: Partial<BedrockKnowledgeBaseStoreOptions>): BedrockKnowledgeBaseStore;
  stop(): Promise<void>;
}

/** Starts an emulator that is closed after the test; `attempts` is the clients' number of attempts. */
export async function setup(options: BedrockEmulatorOptions = {}, attempts = 1): Promise<Setup> {
  const made = await start(options, attempts);
  onTestFinished(() => made.stop());
  return made;
}

export async function start(options: BedrockEmulatorOptions = {}, attempts = 1): Promise<Setup> {
  const emulator = await startBedrock(options);
  const config = { ...emulator.client, maxAttempts: attempts };
  const clients = {
    runtimeClient: new BedrockAgentRuntimeClient(config),
    agentClient: new BedrockAgentClient(config),
  };
  const s3Client = new S3Client(config);
  const connection: BedrockConnection = {
    knowledgeBaseId: 'KB123',
    dataSourceType: 'CUSTOM',
    dataSourceId: 'DS456',
    ...clients,
  };
  const s3 = { bucket: 'memories', prefix: 'facts', client: s3Client };
  return {
    emulator,
    connection,
    s3Connection: { ...connection, dataSourceType: 'S3', dataSourceId: 'DS789', s3 },
    store: (given = {}) => {
      const scoped = 'scope' in given || 'unscoped' in given ? {} : { namespace: ['u', 'alice'] };
      return new BedrockKnowledgeBaseStore({ name: 'facts', connection, writable: true, ...scoped, ...given });
    },
    async stop() {
      for (const client of [clients.runtimeClient, clients.agentClient, s3Client]) client.destroy();
      await emulator.stop();
    },
  };
}
