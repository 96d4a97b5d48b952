import { styleText } from 'node:util';
import { isMemoryError } from '@keepsake/core';

export const bold = (text: string) => styleText('bold', text);
export const dim = (text: string) => styleText('dim', text);

/** Formats a time like this: 22 Nov 2026, 05:41. */
export function when(time = ''): string {
  return new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}

/** Why a request failed. If a host has several addresses, Node's message is empty, and only the code tells. */
export function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : message;
}

export function indented(text: string): string {
  return text.trimEnd().replaceAll(/^/gm, '  ');
}

/**
 * Exits quietly if the reader of the output closes it, as `head` does, and with a short message after a configuration error.
 */
export function endPlainly(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  process.on('uncaughtException', (error) => {
    console.error(isMemoryError(error) ? error.message : error);
    process.exit(isMemoryError(error) ? 2 : 1);
  });
}
