import { type OpenAIEmulator, type OpenAIEmulatorOptions, startOpenAI } from '@keepsake/emulators';
import OpenAI, { type ClientOptions } from 'openai';
import { onTestFinished } from 'vitest';

/** An emulator that ends with the test, and how to make clients of the published SDK for it. */
export async function emulated(options: OpenAIEmulatorOptions = {}) {
  const emulator = await startOpenAI(options);
  onTestFinished(() => emulator.stop());
  return { emulator, client: clientOf(emulator) };
}

/** A client of the published SDK, with retries as it has them by default unless it is told otherwise. */
export function clientOf({ baseURL, apiKey }: OpenAIEmulator, options: ClientOptions = {}): OpenAI {
  return new OpenAI({ baseURL, apiKey, ...options });
}

/** How many requests came in of a method and a path. */
export function count({ requests }: OpenAIEmulator, method: string, path: RegExp): number {
  return requests.filter((request) => request.method === method && path.test(request.path)).length;
}
