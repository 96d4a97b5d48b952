import { type SystemPrompt, TextBlock } from '@strands-agents/sdk';

/** A system prompt with a text at its end. */
export function withText(prompt: SystemPrompt | undefined, text: string): SystemPrompt {
  if (prompt === undefined || prompt === '') return text;
  return typeof prompt === 'string' ? `${prompt}\n\n${text}` : [...prompt, new TextBlock(text)];
}
