import { createHash } from 'node:crypto';
import { formatNamespace, type Namespace } from '@keepsake/core';
import { toStorable } from '../database/storable-text.ts';

/** A namespace in the form that the tables store. */
export interface NamespaceKey {
  /** {@link formatNamespace} as storable text: readable, and ordered so that descendants form a range. */
  readonly path: string;
  /** Half a SHA-256 of the path in hex, because a path may be too long for an index. */
  readonly key: string;
}

export function namespaceKeyOf(namespace: Namespace): NamespaceKey {
  const path = toStorable(formatNamespace(namespace));
  return { path, key: digest(path) };
}

/** How many characters of the key an index term has: enough that hardly any two namespaces share terms. */
const TAG_LENGTH = 8;
const PLAIN = /^[a-z0-9]+$/;
/** In characters, far below the limit of an index. */
const LONGEST = 512;

/**
 * A term in the full-text index. It has only letters, digits and underscores, which no index splits, changes or reads as a
 * query, and begins with a tag of the namespace, so that a search never reads the terms of other namespaces.
 */
export function indexTerm(namespace: NamespaceKey, term: string): string {
  return `${namespace.key.slice(0, TAG_LENGTH)}_${PLAIN.test(term) && term.length <= LONGEST ? term : encode(term)}`;
}

/** What an index term has after its tag. */
export function termOf(indexTerm: string): string {
  return indexTerm.slice(TAG_LENGTH + 1);
}

function encode(term: string): string {
  const hex = Buffer.from(term).toString('hex');
  return hex.length <= LONGEST ? `_${hex}` : `_x${digest(term)}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
