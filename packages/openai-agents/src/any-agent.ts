import type { Agent, AgentOutputType } from '@openai/agents';

/** An agent with any context and output. */
export type AnyAgent = Agent<unknown, AgentOutputType>;

/** The bound that the SDK has for agents. `AnyAgent` does not accept every agent. */
// biome-ignore lint/suspicious/noExplicitAny: as in the SDK.
export type AgentLike = Agent<any, any>;
