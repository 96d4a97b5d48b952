import type { ContentBlock, JsonValue, Message, TextBlock } from '@keepsake/core';
import { readToolInput } from '@keepsake/internal';
import type { LanguageModelMiddleware } from 'ai';

type WrapGenerate = NonNullable<LanguageModelMiddleware['wrapGenerate']>;
type WrapStream = NonNullable<LanguageModelMiddleware['wrapStream']>;

/** A model, its call options, the answer and the stream of a model, as middleware sees them. */
export type Model = Parameters<WrapGenerate>[0]['model'];
export type CallOptions = Parameters<WrapGenerate>[0]['params'];
export type Prompt = CallOptions['prompt'];
export type Answer = Awaited<ReturnType<WrapGenerate>>;
export type StreamPart = Awaited<ReturnType<WrapStream>>['stream'] extends ReadableStream<infer Part> ? Part : never;

type PromptPart = Exclude<Prompt[number]['content'], string>[number];
type AnswerPart = Answer['content'][number];

/** Converts a prompt to messages: the texts and the tool calls, without what middlewares have injected. */
export function toMessages(prompt: Prompt): Message[] {
  return prompt.map(({ role, content }) => ({
    role,
    content: typeof content === 'string' ? content : content.flatMap((part) => (added.has(part) ? [] : toBlocks(part))),
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

/** The new part of a prompt: the messages after the last answer of the model, and that answer. */
export function newInput(prompt: Prompt): { readonly before: Prompt[number] | undefined; readonly input: Prompt } {
  const last = prompt.findLastIndex(({ role }) => role === 'assistant');
  return { before: prompt[last], input: prompt.slice(last + 1).filter(({ role }) => role !== 'system') };
}

/** Parts that were added to the input of a model and don't belong to the conversation. */
const added = new WeakSet<object>();

/**
 * A copy of a prompt, with the texts that were added at the end of its messages. All other messages stay the same objects.
 *
 * @param injected - The result of injecting into the messages of `prompt`.
 */
export function withInjected(prompt: Prompt, messages: readonly Message[], injected: readonly Message[]): Prompt {
  return prompt.map((message, index) => {
    const blocks = injected[index]?.content;
    if (message.role !== 'user' || injected[index] === messages[index] || !Array.isArray(blocks)) return message;
    // Some providers join text parts without a separator.
    const part = { type: 'text' as const, text: `\n\n${(blocks.at(-1) as TextBlock).text}` };
    added.add(part);
    return { ...message, content: [...message.content, part] };
  });
}
