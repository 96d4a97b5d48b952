import type { JsonValue, MemoryModel } from '@keepsake/core';
import { Agent, type AgentConfiguration, run } from '@openai/agents';

/** An OpenAI model that distils runs, called through the Agents SDK. */
export function realMemoryModel(): MemoryModel {
  return {
    async generate({ system, prompt, schema, signal }) {
      const outputType = schema && { type: 'json_schema', name: 'answer', strict: true, schema };
      const config = { name: 'Memory', instructions: system ?? '', ...(outputType && { outputType }) };
      const agent = new Agent(config as object as AgentConfiguration);
      const { finalOutput, rawResponses } = await run(agent, prompt, signal ? { signal } : {});
      // With a schema, the output is an object, despite its declared type.
      const answer = finalOutput as JsonValue | undefined;
      const usage = rawResponses.at(-1)?.usage;
      return {
        text: typeof answer === 'string' ? answer : JSON.stringify(answer ?? ''),
        ...(typeof answer === 'object' && { object: answer }),
        ...(usage && { usage: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens } }),
      };
    },
  };
}
