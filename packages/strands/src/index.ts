export { AgentTrigger, type AgentTriggerOptions } from './agent-trigger.ts';
export { type KeepsakeOptions, keepsake } from './keepsake.ts';
