import { createHash } from 'node:crypto';
import { formatNamespace, type Namespace, parseNamespace } from '@keepsake/core';
import { fromStorable, toStorable } from '../database/storable-text.ts';

/** A namespace in the form that the tables store. */
export interface NamespaceKey {
  /** {@link formatNamespace} as storable text: readable, and ordered so that descendants form a range. */
  readonly path: string;
  /** Half a SHA-256 of the path in hex, because a path may be too long for an index. */
  readonly key: string;
}

export function namespaceKeyOf(namespace: Namespace): NamespaceKey {
  const path = toStorable(formatNamespace(namespace));
  return { path, key: createHash('sha256').update(path).digest('hex').slice(0, 32) };
}

export function readPath(path: string): Namespace {
  return parseNamespace(fromStorable(path));
}
