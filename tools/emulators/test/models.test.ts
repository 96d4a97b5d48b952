import Anthropic from '@anthropic-ai/sdk';
import { BedrockRuntimeClient, ConverseStreamCommand, type Message } from '@aws-sdk/client-bedrock-runtime';
import { createGateway, embed, generateText, jsonSchema, Output } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ClaudeAnswer, startAnthropic, startBedrock, startGateway } from '../src/index.ts';

describe('the Converse API of Bedrock', () => {
  async function setup() {
    const emulator = await startBedrock();
    const client = new BedrockRuntimeClient({ ...emulator.client, maxAttempts: 1 });
    onTestFinished(async () => {
      client.destroy();
      await emulator.stop();
    });
    async function converse(...messages: Message[]): Promise<string> {
      const { stream = [] } = await client.send(
        new ConverseStreamCommand({ modelId: 'amazon.nova-lite-v1:0', messages }),
      );
      let text = '';
      for await (const { contentBlockDelta } of stream) text += contentBlockDelta?.delta?.text ?? '';
      return text;
    }
    return { emulator, converse };
  }
  const user = (text: string): Message => ({ role: 'user', content: [{ text }] });

  it('streams the answer of the script, or else what the user said', async () => {
    const { emulator, converse } = await setup();
    expect(await converse(user('Hi'))).toBe('You said: Hi');
    emulator.answerWith((messages) => `${messages.length} messages, olé`);
    expect(await converse(user('Hi'), { role: 'assistant', content: [{ text: 'Hi' }] }, user('Bye'))).toBe(
      '3 messages, olé',
    );
  });
});

describe('the AI Gateway', () => {
  async function setup() {
    const emulator = await startGateway((prompt) => `${prompt.length} messages: ${JSON.stringify(prompt.at(-1))}`);
    onTestFinished(() => emulator.stop());
    return emulator;
  }

  it('answers with the script', async () => {
    const { baseURL, apiKey } = await setup();
    const model = createGateway({ baseURL, apiKey })('openai/gpt-5-mini');
    const { text } = await generateText({ model, instructions: 'Be brief.', prompt: 'Hi' });
    expect(text).toMatch(/^2 messages: .*"Hi"/);
  });

  it('embeds texts, in vectors of the length that is asked for', async () => {
    const model = createGateway(await setup()).embeddingModel('google/gemini-embedding-001');
    expect((await embed({ model, value: 'Hi' })).embedding).toHaveLength(3072);
  });

  it.each(['openai/gpt-5-mini', 'google/gemini-3-flash', 'anthropic/claude-haiku-4-5'])(
    'refuses a schema that %s does not support',
    async (id) => {
      const { baseURL, apiKey } = await setup();
      const output = Output.object({ schema: jsonSchema({ type: 'object', oneOf: [{ type: 'object' }] }) });
      const model = createGateway({ baseURL, apiKey })(id);
      const refused = generateText({ model, output, prompt: 'Hi', maxRetries: 0 });
      await expect(refused).rejects.toMatchObject({ statusCode: 400 });
    },
  );

  it('refuses another key', async () => {
    const { baseURL } = await setup();
    const model = createGateway({ baseURL, apiKey: 'another' })('openai/gpt-5-mini');
    await expect(generateText({ model, prompt: 'Hi', maxRetries: 0 })).rejects.toThrow('Unauthenticated');
  });
});

describe('the Claude API', () => {
  const request = { model: 'claude-sonnet-5-5', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hi' }] };
  async function setup(...answers: ClaudeAnswer[]) {
    const emulator = await startAnthropic((messages) => answers.shift() ?? `${messages.length} messages`);
    onTestFinished(() => emulator.stop());
    return new Anthropic({ baseURL: emulator.url, apiKey: emulator.apiKey, maxRetries: 0 });
  }

  it('answers with a text or a call of a tool', async () => {
    const client = await setup({ tool: 'memory', input: { command: 'view' } }, 'Hello');
    expect(await client.messages.create(request)).toMatchObject({
      stop_reason: 'tool_use',
      content: [{ type: 'tool_use', name: 'memory', input: { command: 'view' } }],
    });
    expect(await client.messages.create(request)).toMatchObject({
      stop_reason: 'end_turn',
      content: [{ type: 'text', text: 'Hello' }],
    });
  });

  it('streams an answer', async () => {
    const client = await setup('Hello', { tool: 'memory', input: { command: 'view' } });
    expect(await client.messages.stream(request).finalText()).toBe('Hello');
    expect((await client.messages.stream(request).finalMessage()).content).toMatchObject([
      { type: 'tool_use', name: 'memory', input: { command: 'view' } },
    ]);
  });

  it('keeps the messages of a thread', async () => {
    const thread = (await setup()).beta.messages.thread({ model: request.model, max_tokens: 100 });
    await thread.send({ role: 'user', content: 'Hi' });
    expect((await thread.send({ role: 'user', content: 'Bye' })).content).toMatchObject([{ text: '3 messages' }]);
  });

  it('refuses a schema that structured outputs do not support', async () => {
    const client = await setup();
    const schema = {
      type: 'object',
      properties: { age: { type: 'integer', minimum: 0 } },
      additionalProperties: false,
    };
    const format = { type: 'json_schema' as const, schema };
    const refused = client.messages.create({ ...request, output_config: { format } });
    await expect(refused).rejects.toThrow("'minimum' is not supported");
  });

  it('refuses another key, and a thread that it does not have', async () => {
    const client = await setup();
    await expect(client.withOptions({ apiKey: 'another' }).messages.create(request)).rejects.toThrow('authentication');
    const thread = { type: 'continue', previous_message_id: 'msg_unknown' } as const;
    await expect(client.beta.messages.create({ ...request, thread })).rejects.toThrow('not_found');
  });
});
