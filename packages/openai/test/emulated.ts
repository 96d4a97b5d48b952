import { type OpenAIEmulator, type OpenAIEmulatorOptions, startOpenAI } from '@keepsake/emulators';
import OpenAI, { type ClientOptions } from 'openai';
import { onTestFinished } from 'vitest';

/** An emulator that is closed after the test, and a factory for clients of the published SDK. */
export async function emulated(options: OpenAIEmulatorOptions = {}) {
  const emulator = await startOpenAI(options);
  onTestFinished(() => emulator.stop());
  return { emulator, client: clientOf(emulator) };
}

/** A client of the published SDK, by default with the SDK's default retries. */
export function clientOf({ baseURL, apiKey }: OpenAIEmulator, options: ClientOptions = {}): OpenAI {
  return new OpenAI({ baseURL, apiKey, ...options });
}

/** The number of requests with a method and a path. */
export function count({ requests }: OpenAIEmulator, method: string, path: RegExp): number {
  return requests.filter((request) => request.method === method && path.test(request.path)).length;
}
