import { formatNamespace } from '@keepsake/core';
import type { Context } from './context.ts';
import { printable } from './printable.ts';

/** Says that nothing was found, where it was looked for, and how to see where there is something. */
export function noteNothing({ namespace, directory, output }: Context, nothing: string): void {
  const where = namespace.length === 0 ? 'the root namespace' : `namespace ${formatNamespace(namespace)}`;
  output.note(printable(`${nothing} in ${where} of ${directory}. See keepsake namespaces.`));
}
