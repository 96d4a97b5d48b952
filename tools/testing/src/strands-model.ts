import {
  type BaseModelConfig,
  type Message,
  type MessageData,
  Model,
  type ModelStreamEvent,
  type StopReason,
  type StreamOptions,
} from '@strands-agents/sdk';

/** The model's reply to one call: text, a tool use, a failure, or a question that a guardrail redacted or blocked. */
export type Reply = string | ToolUse | Error | { readonly redacted: string } | { readonly blocked: StopReason };
interface ToolUse {
  readonly tool: string;
  readonly input: Record<string, unknown>;
}

/** A scripted model for Strands that records its input. */
export class ScriptedModel extends Model {
  /** The messages of each call. */
  readonly inputs: MessageData[][] = [];
  /** The names of the tools of the last call. */
  tools: readonly string[] = [];
  readonly #replies: Reply[];

  constructor(...replies: Reply[]) {
    super();
    this.#replies = replies;
  }

  override updateConfig(): void {}

  override getConfig(): BaseModelConfig {
    return { modelId: 'scripted', contextWindowLimit: 100_000 };
  }

  override async *stream(messages: Message[], options?: StreamOptions): AsyncGenerator<ModelStreamEvent> {
    this.inputs.push(messages.map((message) => message.toJSON()));
    this.tools = options?.toolSpecs?.map(({ name }) => name) ?? [];
    const reply = this.#replies.shift() ?? new Error('The script of the model has no more replies.');
    if (reply instanceof Error) throw reply;
    yield { type: 'modelMessageStartEvent', role: 'assistant' };
    if (typeof reply === 'object' && 'tool' in reply) {
      const toolUseId = `use-${this.inputs.length}`;
      yield { type: 'modelContentBlockStartEvent', start: { type: 'toolUseStart', name: reply.tool, toolUseId } };
      const input = JSON.stringify(reply.input);
      yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'toolUseInputDelta', input } };
      yield { type: 'modelContentBlockStopEvent' };
      yield { type: 'modelMessageStopEvent', stopReason: 'toolUse' };
      return;
    }
    const text = typeof reply === 'string' ? reply : 'I must not answer that.';
    yield { type: 'modelContentBlockStartEvent' };
    yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'textDelta', text } };
    yield { type: 'modelContentBlockStopEvent' };
    if (typeof reply === 'object' && 'redacted' in reply) {
      yield { type: 'modelRedactionEvent', inputRedaction: { replaceContent: reply.redacted } };
    }
    yield {
      type: 'modelMessageStopEvent',
      stopReason: typeof reply === 'object' && 'blocked' in reply ? reply.blocked : 'endTurn',
    };
  }
}
