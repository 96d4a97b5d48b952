import { type BaseModelConfig, type Message, Model, type ModelStreamEvent } from '@strands-agents/sdk';

/** A local model that needs no API key. It answers a question with the first message of the session. */
export class LocalModel extends Model {
  override updateConfig(): void {}

  override getConfig(): BaseModelConfig {
    return { modelId: 'local', contextWindowLimit: 100_000 };
  }

  override async *stream(messages: Message[]): AsyncGenerator<ModelStreamEvent> {
    const isFirst = messages.length === 1;
    const text = isFirst ? 'Thank you, I will remember that.' : `You told me: "${textOf(messages[0])}"`;
    yield { type: 'modelMessageStartEvent', role: 'assistant' };
    yield { type: 'modelContentBlockStartEvent' };
    yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'textDelta', text } };
    yield { type: 'modelContentBlockStopEvent' };
    yield { type: 'modelMessageStopEvent', stopReason: 'endTurn' };
  }
}

function textOf(message: Message | undefined): string {
  return message?.content.map((block) => (block.type === 'textBlock' ? block.text : '')).join('') ?? '';
}
