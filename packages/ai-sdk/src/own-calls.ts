import { type LanguageModel, wrapLanguageModel } from 'ai';
import type { Prompt } from './messages.ts';

/** The messages of memory itself, such as those that extract facts. Other middlewares may put them into another prompt. */
const own = new WeakSet<Prompt[number]>();

/** The model, with its prompts marked, so that the middlewares of this package don't handle them as a conversation. */
export function withOwnCalls(model: LanguageModel): LanguageModel {
  // A name stands for a provider's model, which has no middleware of ours.
  if (typeof model === 'string') return model;
  return wrapLanguageModel({
    model: model as Exclude<LanguageModel, string | { specificationVersion: 'v2' }>,
    middleware: {
      specificationVersion: 'v4',
      async transformParams({ params }) {
        for (const message of params.prompt) own.add(message);
        return params;
      },
    },
  });
}

/** Whether a prompt is from memory itself. */
export function isOwnCall(prompt: Prompt): boolean {
  return prompt.some((message) => own.has(message));
}
