import type { BetaMessageParam } from '@anthropic-ai/sdk/resources/beta';

const NOTES = '/memories/notes.md';

/**
 * Stands in for the Claude API if there is no key. It notes down what it is told, and answers questions with its notes, both
 * by the memory tool.
 */
export async function localClaude(_url: unknown, request?: { body?: unknown }): Promise<Response> {
  const { messages } = JSON.parse(String(request?.body)) as { messages: BetaMessageParam[] };
  const told = textOf(messages[0]);
  const result = toolResult(messages.at(-1));
  const isQuestion = told.endsWith('?');
  if (result === undefined) {
    const input = isQuestion ? { command: 'view', path: NOTES } : { command: 'create', path: NOTES, file_text: told };
    return message({ type: 'tool_use', id: 'call-1', name: 'memory', input }, 'tool_use');
  }
  const note = /1\t([^"]*)/.exec(result)?.[1];
  const text = isQuestion ? `You told me: "${note}"` : 'Thank you, I will remember that.';
  return message({ type: 'text', text }, 'end_turn');
}

function textOf({ content = [] }: Partial<BetaMessageParam> = {}): string {
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

function toolResult({ content = [] }: Partial<BetaMessageParam> = {}): string | undefined {
  const block = typeof content === 'string' ? undefined : content[0];
  return block?.type === 'tool_result' ? JSON.stringify(block.content).replaceAll('\\t', '\t') : undefined;
}

function message(block: object, stop_reason: string): Response {
  const usage = { input_tokens: 1, output_tokens: 1 };
  return Response.json({ id: 'local', type: 'message', role: 'assistant', content: [block], stop_reason, usage });
}
