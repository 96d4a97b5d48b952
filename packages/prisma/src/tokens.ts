import { createHash } from 'node:crypto';
import { formatNamespace, type Namespace } from '@keepsake/core';
import { toStorable } from './storable-text.ts';

/** A namespace as the tables have it. */
export interface Place {
  readonly namespace: Namespace;
  /** For people, and for those who look for what is below: {@link formatNamespace}, as storable text. */
  readonly path: string;
  /** What stands for it in keys: half a SHA-256, in hex. */
  readonly key: string;
}

export function placeOf(namespace: Namespace): Place {
  const path = toStorable(formatNamespace(namespace));
  return { namespace, path, key: digest(path) };
}

/** What a full-text index is given of a key: enough that hardly any two namespaces share their words. */
const TAG = 8;
const PLAIN = /^[a-z0-9]+$/;
/** In characters: far below what an index takes. */
const LONGEST = 512;

/**
 * What a full-text index knows a term of a namespace by: letters, digits and underscores alone, which no index splits,
 * changes or reads as a query. With the namespace in it, no search walks through the words of others.
 */
export function tokenOf(place: Place, term: string): string {
  return `${place.key.slice(0, TAG)}_${PLAIN.test(term) && term.length <= LONGEST ? term : encode(term)}`;
}

function encode(term: string): string {
  const hex = Buffer.from(term).toString('hex');
  return hex.length <= LONGEST ? `_${hex}` : `_x${digest(term)}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
