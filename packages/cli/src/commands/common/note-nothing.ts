import { formatNamespace } from '@keepsake/core';
import type { Context } from '../../context.ts';
import { printable } from '../../output/printable.ts';

/** Prints that nothing was found, where, and how to find other namespaces. */
export function noteNothing({ namespace, path, output }: Context, message: string): void {
  const where = namespace.length === 0 ? 'the root namespace' : `namespace ${formatNamespace(namespace)}`;
  output.note(
    printable(
      `${message} in ${where} of ${path}. Run keepsake namespaces to list all namespaces, and choose one with --namespace.`,
    ),
  );
}
