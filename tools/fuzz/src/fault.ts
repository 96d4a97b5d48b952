import { isMemoryError } from '@keepsake/core';
import type { FuzzTarget } from '@keepsake/testing/fuzz/target';

/** What an input did that none may do. */
export interface Fault {
  readonly kind: 'error' | 'hang' | 'growth' | 'memory' | 'crash';
  /** The number of the input. */
  readonly input: number;
  /** The first line says what happened, the others where. */
  readonly text: string;
}

/** The fault that an error is, or `undefined` if it is an answer to bad input. */
export function textOfError(target: FuzzTarget, error: unknown): string | undefined {
  const isAnswer = isMemoryError(error) || target.isRefusal?.(error) === true;
  const cause = error instanceof Error ? error.cause : undefined;
  if (isAnswer && !isProgrammingError(cause)) return undefined;
  const stack = stackOf(error);
  return isAnswer ? `${stack.split('\n', 1)[0]}, caused by ${stackOf(cause)}` : stack;
}

/** The errors of JavaScript for wrong code. Those of Node's functions, such as for text that is not UTF-8, have a code. */
function isProgrammingError(error: unknown): boolean {
  const isRaw = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
  return isRaw && !('code' in error);
}

function stackOf(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : `Threw ${String(error)}`;
  return text.split('\n').slice(0, 12).join('\n').slice(0, 4000);
}

/** What two inputs with the same fault have in common. */
export function signatureOf({ kind, text }: Fault): string {
  const [message = '', ...frames] = text.split('\n');
  const place = frames.find((frame) => frame.includes('/packages/')) ?? message.replaceAll(/\d+/g, '0');
  return `${kind} ${kind === 'hang' || kind === 'growth' || kind === 'memory' ? '' : place.trim()}`;
}
