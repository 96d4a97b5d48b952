import { MemoryError } from '@keepsake/core';
import type { ConversationsClient } from './openai-client.ts';

/**
 * Creates a client of the OpenAI SDK, which reads `OPENAI_API_KEY`, `OPENAI_BASE_URL` and its other environment variables.
 *
 * @throws MemoryError `INVALID_ARGUMENT` if it lacks credentials.
 */
export async function environmentClient(): Promise<ConversationsClient> {
  const { default: OpenAI } = await import('openai');
  try {
    return new OpenAI();
  } catch (cause) {
    throw new MemoryError(
      'INVALID_ARGUMENT',
      'There is no API key. Set the environment variable `OPENAI_API_KEY`, or pass `client: new OpenAI({ apiKey })`.',
      { cause },
    );
  }
}
