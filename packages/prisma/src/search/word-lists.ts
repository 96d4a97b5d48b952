import { indexTerm, type NamespaceKey } from '../stores/namespace-key.ts';
import type { Feature } from './features.ts';

/** The words of features as lists of equal length: each belongs to a part of a feature. */
export function wordLists(namespace: NamespaceKey, features: readonly Feature[]) {
  const words = features.flatMap(({ parts }, feature) =>
    parts.flatMap((terms, part) => terms.map((term) => ({ token: indexTerm(namespace, term), feature, part }))),
  );
  return {
    words,
    tokens: words.map(({ token }) => token),
    features: words.map(({ feature }) => `${feature}`),
    parts: words.map(({ part }) => `${part}`),
  };
}
