import { type ModelRequest, startOpenAI } from '@keepsake/emulators';
import OpenAI from 'openai';

/** An OpenAI client if there is an API key, otherwise a client of an emulator that repeats injected memories. */
export async function connect(): Promise<{ client: OpenAI; where: string; stop(): Promise<void> }> {
  if (process.env.OPENAI_API_KEY) return { client: new OpenAI(), where: 'OpenAI', stop: async () => {} };
  const emulator = await startOpenAI();
  emulator.answerWith(repeatMemory);
  const client = new OpenAI({ baseURL: emulator.baseURL, apiKey: emulator.apiKey });
  return { client, where: 'the emulator', stop: () => emulator.stop() };
}

function repeatMemory({ input }: ModelRequest): string {
  const remembered = /<entry[^>]*>(.*)<\/entry>/.exec(JSON.stringify(input))?.[1];
  return remembered === undefined ? 'Thank you.' : `I remember: "${remembered}"`;
}
