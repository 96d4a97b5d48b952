export type { CutPlace, Faults, FaultTarget } from './http/faults.ts';
export type { RunningServer, SeenRequest } from './http/start-server.ts';
export { type AttributeFilter, type Attributes, passes } from './openai/attribute-filter.ts';
export type { ModelAnswer, ModelRequest, Script } from './openai/responses.ts';
export { type OpenAIEmulator, type OpenAIEmulatorOptions, startOpenAI } from './openai/start-openai.ts';
