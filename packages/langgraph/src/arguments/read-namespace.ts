import { expect } from '@keepsake/core/adapter';
import { InvalidNamespaceError, validateNamespace } from '@langchain/langgraph-checkpoint';
import { readList } from './read-argument.ts';

const MAX_LABEL = 256;

/**
 * A checked copy of a namespace.
 *
 * @throws InvalidNamespaceError as the stores of LangGraph do; MemoryError `INVALID_ARGUMENT` unless it is an array of labels
 *   that a Keepsake store can hold.
 */
export function readNamespace(
  namespace: unknown,
  what: string,
  options: { readonly allowEmpty?: boolean; readonly allowReservedRoot?: boolean } = {},
): string[] {
  const labels = readList(namespace, what, (label, at) => {
    if (typeof label !== 'string') {
      throw new InvalidNamespaceError(`\`${at}\` must be a string. Namespace labels are strings.`);
    }
    expect(label.length <= MAX_LABEL, `\`${at}\` must be at most ${MAX_LABEL} characters long.`);
    expect(label.isWellFormed(), `\`${at}\` must have no lone surrogate.`);
    return label;
  });
  validateNamespace(labels, options);
  return labels;
}
