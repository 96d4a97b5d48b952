import type { ContentBlock, JsonValue, Message } from '@keepsake/core';
import type { LanguageModelMiddleware } from 'ai';

type WrapGenerate = NonNullable<LanguageModelMiddleware['wrapGenerate']>;
type WrapStream = NonNullable<LanguageModelMiddleware['wrapStream']>;

/** What a model is called with, answers, and streams, as middleware sees it. */
export type CallOptions = Parameters<WrapGenerate>[0]['params'];
export type Prompt = CallOptions['prompt'];
export type Answer = Awaited<ReturnType<WrapGenerate>>;
export type StreamPart = Awaited<ReturnType<WrapStream>>['stream'] extends ReadableStream<infer Part> ? Part : never;

type PromptPart = Exclude<Prompt[number]['content'], string>[number];
type AnswerPart = Answer['content'][number];

/** A prompt as memory reads it: what was said, and the tools that were called. */
export function toMessages(prompt: Prompt): Message[] {
  return prompt.map(({ role, content }) => ({
    role,
    content: typeof content === 'string' ? content : content.flatMap(toBlocks),
  }));
}

/** What a model answers. */
export function toAnswer(content: readonly AnswerPart[]): Message {
  return { role: 'assistant', content: content.flatMap(toBlocks) };
}

function toBlocks(part: PromptPart | AnswerPart): ContentBlock[] {
  switch (part.type) {
    case 'text':
      return [{ text: part.text }];
    case 'tool-call':
      return [{ toolUse: { name: part.toolName, toolUseId: part.toolCallId, input: readInput(part.input) } }];
    case 'tool-result': {
      const content = 'output' in part ? part.output : part.result;
      return [{ toolResult: { toolUseId: part.toolCallId, content: [{ json: content }] } }];
    }
    case 'file':
      // Something was there to ask about, though memory can't read it.
      return [{ file: { mediaType: part.mediaType } }];
    default:
      return [];
  }
}

/** In prompts it is a value, in answers the text of one, which a model may have got wrong. */
function readInput(input: unknown): JsonValue {
  if (typeof input !== 'string') return input as JsonValue;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

/** What is said in a prompt for the first time: what follows the model's last answer. */
export function newInput(prompt: Prompt): Prompt {
  const start = prompt.findLastIndex(({ role }) => role === 'assistant') + 1;
  return prompt.slice(start).filter(({ role }) => role !== 'system');
}

/**
 * A copy of a prompt where memory has added a text to the end of a message. All other messages stay the objects that they
 * are.
 *
 * @param injected - What came of the messages of `prompt`.
 */
export function withInjected(prompt: Prompt, messages: readonly Message[], injected: readonly Message[]): Prompt {
  const index = injected.findIndex((message, place) => message !== messages[place]);
  const target = prompt[index];
  const added = injected[index]?.content.at(-1);
  if (target?.role !== 'user' || typeof added !== 'object' || !('text' in added)) return prompt;
  // Some providers join text parts without anything between them.
  return prompt.with(index, { ...target, content: [...target.content, { type: 'text', text: `\n\n${added.text}` }] });
}
