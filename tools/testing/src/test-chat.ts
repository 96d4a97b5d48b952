import { AbstractChat, type ChatInit, type UIMessage } from 'ai';

/** What `useChat` of the AI SDK does, without React. */
export class TestChat<M extends UIMessage = UIMessage> extends AbstractChat<M> {
  constructor({ messages = [], ...init }: ChatInit<M>) {
    const state = {
      status: 'ready' as const,
      error: undefined,
      messages,
      pushMessage: (message: M) => {
        state.messages = [...state.messages, message];
      },
      popMessage: () => {
        state.messages = state.messages.slice(0, -1);
      },
      replaceMessage: (index: number, message: M) => {
        state.messages = state.messages.with(index, message);
      },
      snapshot: <T>(thing: T) => structuredClone(thing),
    };
    super({ ...init, state });
  }

  /** The texts and the states of tools, by role. */
  get said(): string[] {
    return saidIn(this.messages);
  }
}

/** The texts and the states of tools in messages, each after its role. */
export function saidIn(messages: readonly UIMessage[]): string[] {
  return messages.map(({ role, parts }) => {
    const texts = parts.flatMap((part) => {
      if (part.type === 'text') return [part.text];
      return 'toolCallId' in part ? [`${part.type} ${part.state}`] : [];
    });
    return `${role}: ${texts.join(', ')}`;
  });
}
