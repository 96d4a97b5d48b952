import type { ContentBlock, JsonValue, Message } from '@keepsake/core';
import { readToolInput } from '@keepsake/internal';
import type { LanguageModelMiddleware } from 'ai';

type WrapGenerate = NonNullable<LanguageModelMiddleware['wrapGenerate']>;
type WrapStream = NonNullable<LanguageModelMiddleware['wrapStream']>;

/** The call options, the answer and the stream of a model, as middleware sees them. */
export type CallOptions = Parameters<WrapGenerate>[0]['params'];
export type Prompt = CallOptions['prompt'];
export type Answer = Awaited<ReturnType<WrapGenerate>>;
export type StreamPart = Awaited<ReturnType<WrapStream>>['stream'] extends ReadableStream<infer Part> ? Part : never;

type PromptPart = Exclude<Prompt[number]['content'], string>[number];
type AnswerPart = Answer['content'][number];

/** Converts a prompt to messages: the texts and the tool calls. */
export function toMessages(prompt: Prompt): Message[] {
  return prompt.map(({ role, content }) => ({
    role,
    content: typeof content === 'string' ? content : content.flatMap(toBlocks),
  }));
}

/** Converts the answer of a model to a message. */
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
      // A placeholder: memory can't read the attachment, but the question may refer to it.
      return [{ file: { mediaType: part.mediaType } }];
    default:
      return [];
  }
}

/** In prompts it is a value; in answers it is JSON text, which may be invalid. */
function readInput(input: unknown): JsonValue {
  return typeof input === 'string' ? readToolInput<JsonValue>(input) : (input as JsonValue);
}

/** The new part of a prompt: the messages after the last answer of the model. */
export function newInput(prompt: Prompt): Prompt {
  const start = prompt.findLastIndex(({ role }) => role === 'assistant') + 1;
  return prompt.slice(start).filter(({ role }) => role !== 'system');
}

/**
 * A copy of a prompt, if memory has added a text at the end of a message. All other messages stay the same objects.
 *
 * @param injected - The result of injecting into the messages of `prompt`.
 */
export function withInjected(prompt: Prompt, messages: readonly Message[], injected: readonly Message[]): Prompt {
  const index = injected.findIndex((message, place) => message !== messages[place]);
  const target = prompt[index];
  const added = injected[index]?.content.at(-1);
  if (target?.role !== 'user' || typeof added !== 'object' || !('text' in added)) return prompt;
  // Some providers join text parts without a separator.
  return prompt.with(index, { ...target, content: [...target.content, { type: 'text', text: `\n\n${added.text}` }] });
}
