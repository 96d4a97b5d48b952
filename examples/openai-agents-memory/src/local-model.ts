import type { Model } from '@openai/agents';
import { assistantMessage, modelResponder, ScriptedModel } from '@openai/agents/testing';
import { localAnswer } from './local-answer.ts';

/** A local model that needs no API key, for one answer. */
export function localModel(): Model {
  return new ScriptedModel([
    modelResponder(({ request }) => [assistantMessage(localAnswer(inputText(request.input)))]),
  ]);
}

function inputText(input: string | object[]): string {
  if (typeof input === 'string') return input;
  return input.map((item) => ('content' in item ? String(item.content) : '')).join('\n');
}
