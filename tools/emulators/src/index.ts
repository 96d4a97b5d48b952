export {
  type AnthropicEmulator,
  type ClaudeAnswer,
  type ClaudeMessage,
  type ClaudeScript,
  startAnthropic,
} from './anthropic/start-anthropic.ts';
export type { ConverseMessage, ConverseScript } from './bedrock/converse.ts';
export type { PlantedDocument, Verdict } from './bedrock/data-source.ts';
export { passesRetrievalFilter, type RetrievalFilter } from './bedrock/retrieval-filter.ts';
export {
  type BedrockEmulator,
  type BedrockEmulatorOptions,
  type EmulatedKnowledgeBase,
  startBedrock,
} from './bedrock/start-bedrock.ts';
export {
  type GatewayEmulator,
  type GatewayMessage,
  type GatewayScript,
  startGateway,
} from './gateway/start-gateway.ts';
export type { CutPlace, Faults, FaultTarget } from './http/faults.ts';
export type { RunningServer, SeenRequest } from './http/start-server.ts';
export { type AttributeFilter, type Attributes, passes } from './openai/attribute-filter.ts';
export type { ModelAnswer, ModelRequest, Script } from './openai/responses.ts';
export { type OpenAIEmulator, type OpenAIEmulatorOptions, startOpenAI } from './openai/start-openai.ts';
export { redirection } from './redirection.ts';
export { anthropicSchemaFault } from './schemas/anthropic.ts';
export { geminiSchemaFault } from './schemas/gemini.ts';
export { openaiSchemaFault } from './schemas/openai.ts';
