import type { Answer, StreamPart } from './messages.ts';

/** The complete answer of a stream. */
export type Collected = Pick<Answer, 'content' | 'finishReason'>;

/**
 * Passes a stream through unchanged. Calls `ended` once: with the answer before the last part is passed on, or with nothing
 * if the stream fails, breaks off or is cancelled.
 */
export function collect(
  ended: (answer: Collected | undefined) => Promise<void>,
): TransformStream<StreamPart, StreamPart> {
  const texts = new Map<string, { type: 'text'; text: string }>();
  const content: Collected['content'] = [];
  let open = true;
  const end = async (answer?: Collected) => {
    if (!open) return;
    open = false;
    await ended(answer);
  };
  // TypeScript's stream types don't have `cancel` yet.
  const transformer: Transformer<StreamPart, StreamPart> & { cancel(): Promise<void> } = {
    async transform(part, controller) {
      if (part.type === 'text-start') {
        const text = { type: 'text' as const, text: '' };
        texts.set(part.id, text);
        content.push(text);
      } else if (part.type === 'text-delta') {
        const text = texts.get(part.id);
        if (text !== undefined) text.text += part.delta;
      } else if (part.type === 'tool-call' || part.type === 'tool-result') {
        content.push(part);
      } else if (part.type === 'error') {
        await end();
      } else if (part.type === 'finish') {
        await end({ content, finishReason: part.finishReason });
      }
      controller.enqueue(part);
    },
    flush: () => end(),
    cancel: () => end(),
  };
  return new TransformStream(transformer);
}
