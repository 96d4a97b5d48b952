import { type Reply, ScriptedModel } from '@keepsake/testing/strands-model';
import type { Message, ModelStreamEvent, StreamOptions } from '@strands-agents/sdk';

/**
 * Replaces the `BedrockModel` of the Strands SDK, without an account. Extracts each sentence of the user as a fact, saves on
 * request if it has a tool for that, and otherwise repeats the memories in its input.
 */
export class BedrockModel extends ScriptedModel {
  override async *stream(messages: Message[], options?: StreamOptions): AsyncGenerator<ModelStreamEvent> {
    yield* new ScriptedModel(reply(messages, options)).stream(messages, options);
  }
}

function reply(messages: readonly Message[], options: StreamOptions | undefined): Reply {
  const last = messages.at(-1)?.content ?? [];
  const text = last.flatMap((block) => (block.type === 'textBlock' ? [block.text] : [])).join('\n');
  if (/^Extract|<messages/m.test(text)) {
    const said = [...text.matchAll(/^user: (.*)$/gm)].map(([, content]) => ({ content }));
    return JSON.stringify(said);
  }
  if (last.some((block) => block.type === 'toolResultBlock')) return 'I have saved it.';
  const [, request] = /^Remember: (.*)/.exec(text) ?? [];
  const tool = options?.toolSpecs?.find(({ name }) => name === 'add_memory');
  if (request !== undefined && tool !== undefined) return { tool: tool.name, input: { entries: [request] } };
  const memories = [...text.matchAll(/<entry[^>]*>(.*?)<\/entry>|^- (.*)$/gm)].map(([, entry, item]) => entry ?? item);
  return memories.length === 0 ? 'I see.' : `I know: ${memories.join(' ')}`;
}
