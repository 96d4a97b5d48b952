import { bedrockInputFault } from '@keepsake/testing/model-inputs/bedrock';
import { EventStreamCodec } from '@smithy/core/event-streams';
import { z } from 'zod';
import type { Route } from '../http/route.ts';
import type { ServiceAnswer } from '../http/service.ts';
import { invalid } from './aws-failure.ts';
import { readBody } from './requests.ts';

const block = z.record(z.string(), z.unknown()).refine((fields) => Object.keys(fields).length === 1, 'one field');
const converseBody = z.strictObject({
  messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(block).min(1) })).min(1),
  system: z.array(block).optional(),
  inferenceConfig: z
    .strictObject({
      maxTokens: z.number().int().min(1).optional(),
      temperature: z.number().min(0).max(1).optional(),
      topP: z.number().min(0).max(1).optional(),
      stopSequences: z.array(z.string()).optional(),
    })
    .optional(),
  toolConfig: z.strictObject({ tools: z.array(block).min(1), toolChoice: block.optional() }).optional(),
  additionalModelRequestFields: z.record(z.string(), z.unknown()).optional(),
});

/** A message of the Converse API. */
export type ConverseMessage = z.infer<typeof converseBody>['messages'][number];

/** Answers for the model. */
export type ConverseScript = (messages: readonly ConverseMessage[]) => string;

/** Streams of the Converse API of Bedrock. */
export function converseRoutes(script: () => ConverseScript | undefined): Route<ServiceAnswer>[] {
  return [
    {
      method: 'POST',
      shape: '/model/:model/converse-stream',
      answer(request) {
        const { messages } = readBody(converseBody, request);
        const fault = bedrockInputFault(messages);
        if (fault !== undefined) throw invalid(fault);
        return stream((script() ?? echo)(messages));
      },
    },
  ];
}

function echo(messages: readonly ConverseMessage[]): string {
  const texts = messages.at(-1)?.content.map(({ text = '' }) => text) ?? [];
  return `You said: ${texts.join('')}`;
}

function stream(text: string): ServiceAnswer {
  const events = [
    event('messageStart', { role: 'assistant' }),
    event('contentBlockDelta', { contentBlockIndex: 0, delta: { text } }),
    event('contentBlockStop', { contentBlockIndex: 0 }),
    event('messageStop', { stopReason: 'end_turn' }),
    event('metadata', {
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      metrics: { latencyMs: 1 },
    }),
  ];
  const headers = { 'content-type': 'application/vnd.amazon.eventstream' };
  return { status: 200, headers, body: Buffer.concat(events) };
}

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString(),
  (text) => Buffer.from(text),
);

function event(type: string, body: object): Uint8Array {
  const header = (value: string) => ({ type: 'string' as const, value });
  return codec.encode({
    headers: {
      ':message-type': header('event'),
      ':event-type': header(type),
      ':content-type': header('application/json'),
    },
    body: Buffer.from(JSON.stringify(body)),
  });
}
