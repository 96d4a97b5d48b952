import { BedrockAgentClient } from '@aws-sdk/client-bedrock-agent';
import { BedrockAgentRuntimeClient } from '@aws-sdk/client-bedrock-agent-runtime';
import type { BedrockConnection } from '@keepsake/bedrock';
import { startBedrock } from '@keepsake/emulators';

/** The service if the environment names a knowledge base, otherwise an emulator. */
export async function connect() {
  const { KNOWLEDGE_BASE_ID: knowledgeBaseId, DATA_SOURCE_ID: dataSourceId } = process.env;
  if (knowledgeBaseId && dataSourceId) {
    const connection: BedrockConnection = { knowledgeBaseId, dataSourceType: 'CUSTOM', dataSourceId };
    return { connection, where: `the knowledge base ${knowledgeBaseId}`, async disconnect() {} };
  }
  const emulator = await startBedrock({ pace: 'polled' });
  const runtimeClient = new BedrockAgentRuntimeClient(emulator.client);
  const agentClient = new BedrockAgentClient(emulator.client);
  const connection: BedrockConnection = {
    knowledgeBaseId: 'KB123',
    dataSourceType: 'CUSTOM',
    dataSourceId: 'DS456',
    runtimeClient,
    agentClient,
  };
  return {
    connection,
    where: 'an emulator, without an account',
    async disconnect() {
      runtimeClient.destroy();
      agentClient.destroy();
      await emulator.stop();
    },
  };
}
