import { createHash } from 'node:crypto';
import { formatNamespace, parseNamespace } from '@keepsake/core';
import { isWithin } from '@keepsake/core/adapter';
import { withoutUndefined } from '@keepsake/internal';
import { flag, invalid, readQuery, text } from '../http/fields.ts';
import type { PanelParts } from '../panel-parts.ts';
import { LIMITS, type Live, type RecordState, type SeenRecords } from '../protocol.ts';
import type { MemoryPlaces } from './memory-places.ts';

/** The newest records that are looked at. */
const NEWEST = 20;

const LIVE = { namespace: text(16_384), descendants: flag, seen: text(65_536) } as const;

/** What changed, also through other processes: which records there are, and the state of those on the screen. */
export async function getLive(panel: PanelParts, query: URLSearchParams): Promise<Live> {
  const { namespace = '', descendants, seen } = readQuery(query, LIVE);
  const records = seen === undefined ? [] : readSeen(seen);
  return {
    mark: await markOf(panel, namespace, descendants),
    seen: await Promise.all(records.map(([at, id]) => stateOf(panel.places, at, id))),
  };
}

/** Changes when records appear or go: of the newest records here, and of the counts here and below. */
async function markOf({ places, tree }: PanelParts, namespace: string, descendants: boolean): Promise<string> {
  const [store, own] = [await places.at(namespace), parseNamespace(namespace)];
  if (!store.capabilities.enumerate) return '';
  const { items } = await store.list({ limit: NEWEST });
  const counts = (await tree.all()).filter((one) => {
    return descendants ? isWithin(one.namespace, own) : formatNamespace(one.namespace) === formatNamespace(own);
  });
  const state = [items.map(({ id, version, index }) => [id, version, index]), counts];
  return createHash('sha256').update(JSON.stringify(state)).digest('base64url');
}

async function stateOf(places: MemoryPlaces, namespace: string, id: string): Promise<RecordState | null> {
  const record = await (await places.at(namespace)).get(id);
  if (record === undefined) return null;
  const { version, updatedAt, validUntil } = record;
  return { version, ...withoutUndefined({ updatedAt, validUntil }) };
}

/** The namespace and the id of each record. */
function readSeen(json: string): [namespace: string, id: string][] {
  let groups: unknown;
  try {
    groups = JSON.parse(json);
  } catch {
    // Refused below.
  }
  if (!isSeen(groups)) throw invalid('seen must be JSON: [["namespace", ["id", …]], …].');
  const records = groups.flatMap(([namespace, ids]) => ids.map((id): [string, string] => [namespace, id]));
  if (records.length > LIMITS.seenRecords) throw invalid(`seen must have at most ${LIMITS.seenRecords} records.`);
  return records;
}

function isSeen(groups: unknown): groups is SeenRecords {
  const isText = (value: unknown) => typeof value === 'string';
  return (
    Array.isArray(groups) &&
    groups.every((group) => {
      if (!Array.isArray(group) || group.length !== 2) return false;
      return isText(group[0]) && Array.isArray(group[1]) && group[1].every(isText);
    })
  );
}
