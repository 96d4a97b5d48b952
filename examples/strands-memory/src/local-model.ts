import { type BaseModelConfig, type Message, Model, type ModelStreamEvent } from '@strands-agents/sdk';
import { localAnswer } from './local-answer.ts';

/** A local model that needs no API key. */
export class LocalModel extends Model {
  override updateConfig(): void {}

  override getConfig(): BaseModelConfig {
    return { modelId: 'local', contextWindowLimit: 100_000 };
  }

  override async *stream(messages: Message[]): AsyncGenerator<ModelStreamEvent> {
    const content = messages.at(-1)?.content ?? [];
    const input = content.map((block) => (block.type === 'textBlock' ? block.text : '')).join('');
    yield { type: 'modelMessageStartEvent', role: 'assistant' };
    yield { type: 'modelContentBlockStartEvent' };
    yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'textDelta', text: localAnswer(input) } };
    yield { type: 'modelContentBlockStopEvent' };
    yield { type: 'modelMessageStopEvent', stopReason: 'endTurn' };
  }
}
