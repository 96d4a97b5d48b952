import { type BaseModelConfig, type Message, Model, type ModelStreamEvent } from '@strands-agents/sdk';

/** What the model answers to one call: text, or the use of a tool. */
export type Reply = string | { readonly tool: string; readonly input: Record<string, unknown> };

/** Answers by a script, and remembers what it was given. */
export class ScriptedModel extends Model {
  readonly inputs: string[] = [];
  readonly #replies: Reply[];

  constructor(...replies: Reply[]) {
    super();
    this.#replies = replies;
  }

  override updateConfig(): void {}

  override getConfig(): BaseModelConfig {
    return { modelId: 'scripted', contextWindowLimit: 100_000 };
  }

  override async *stream(messages: Message[]): AsyncGenerator<ModelStreamEvent> {
    this.inputs.push(JSON.stringify(messages.map((message) => message.toJSON())));
    const reply = this.#replies.shift() ?? 'Fine.';
    yield { type: 'modelMessageStartEvent', role: 'assistant' };
    if (typeof reply === 'string') {
      yield { type: 'modelContentBlockStartEvent' };
      yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'textDelta', text: reply } };
    } else {
      const toolUseId = `use-${this.inputs.length}`;
      yield { type: 'modelContentBlockStartEvent', start: { type: 'toolUseStart', name: reply.tool, toolUseId } };
      const input = JSON.stringify(reply.input);
      yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'toolUseInputDelta', input } };
    }
    yield { type: 'modelContentBlockStopEvent' };
    yield { type: 'modelMessageStopEvent', stopReason: typeof reply === 'string' ? 'endTurn' : 'toolUse' };
  }
}
