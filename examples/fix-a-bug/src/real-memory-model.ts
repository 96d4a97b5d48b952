import type { JsonValue, MemoryModel } from '@keepsake/core';
import { Agent, run } from '@openai/agents';

/** A model of OpenAI that distils, called through the SDK that is there already. */
export function realMemoryModel(): MemoryModel {
  return {
    async generate({ system, prompt, schema, signal }) {
      const agent = new Agent({
        name: 'Memory',
        instructions: system ?? '',
        ...(schema && { outputType: { type: 'json_schema', name: 'answer', strict: true, schema } as never }),
      });
      const { finalOutput, rawResponses } = await run(agent, prompt, { ...(signal && { signal }) });
      const object = (typeof finalOutput === 'string' ? undefined : finalOutput) as JsonValue | undefined;
      const usage = rawResponses.at(-1)?.usage;
      return {
        text: typeof finalOutput === 'string' ? finalOutput : JSON.stringify(finalOutput),
        ...(object !== undefined && { object }),
        ...(usage && { usage: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens } }),
      };
    },
  };
}
