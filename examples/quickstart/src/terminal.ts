import { styleText } from 'node:util';

export const bold = (text: string) => styleText('bold', text);
export const dim = (text: string) => styleText('dim', text);

/** A time as people say it: 22 Nov 2026, 05:41. */
export function when(time = ''): string {
  return new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}

/** Ends the program quietly when whoever reads its output has seen enough, as `head` does. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}
