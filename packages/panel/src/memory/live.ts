import { createHash } from 'node:crypto';
import { parseNamespace } from '@keepsake/core';
import { isWithin } from '@keepsake/core/adapter';
import { flag, readQuery, text } from '../http/fields.ts';
import type { PanelParts } from '../panel-parts.ts';
import type { Live } from '../protocol.ts';

/** The newest records that are looked at. */
const NEWEST = 20;

/**
 * A text that changes when records appear or go, also those that another process writes: of the newest records here, and of
 * the counts of the namespaces below. An edit of an older record does not show.
 */
export async function getLive({ places, tree }: PanelParts, query: URLSearchParams): Promise<Live> {
  const { namespace = '', descendants } = readQuery(query, { namespace: text(16_384), descendants: flag });
  const [store, own] = [await places.at(namespace), parseNamespace(namespace)];
  if (!store.capabilities.enumerate) return { mark: '' };
  const { items } = await store.list({ limit: NEWEST });
  const counts = descendants ? (await tree.all()).filter((one) => isWithin(one.namespace, own)) : [];
  const state = [items.map(({ id, version, index }) => [id, version, index]), counts];
  return { mark: createHash('sha256').update(JSON.stringify(state)).digest('base64url') };
}
