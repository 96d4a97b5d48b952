import { encodeLine } from './log-line.ts';
import type { Envelope } from './log-reader.ts';

/** Writes a batch: each body, a JSON object as text, becomes a line with its envelope. */
export function encodeBatch(
  { first, generation, at }: Pick<Envelope, 'first' | 'generation' | 'at'>,
  bodies: readonly string[],
): string {
  const last = first + bodies.length - 1;
  const line = (body: string, index: number) => {
    const envelope: Envelope = { first, last, number: first + index, generation, at };
    return encodeLine(`${JSON.stringify(envelope).slice(0, -1)},${body.slice(1)}`);
  };
  return bodies.map(line).join('');
}
