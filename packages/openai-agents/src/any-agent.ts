import type { Agent, AgentOutputType } from '@openai/agents';

/** An agent with any context and output. */
export type AnyAgent = Agent<unknown, AgentOutputType>;
