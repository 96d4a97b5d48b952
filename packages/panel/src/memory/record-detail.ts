import type { MemoryRecord, RecordStore } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';
import { withoutUndefined } from '@keepsake/internal';
import { readQuery, requiredText, text, whole } from '../http/fields.ts';
import { notFound } from '../http/refusal.ts';
import type { PanelParts } from '../panel-parts.ts';
import { LIMITS, type RecordDetail, type TextPiece } from '../protocol.ts';
import { textPiece } from '../shown-text.ts';
import { isInternal } from './memory-places.ts';
import { neighboursOf } from './neighbours.ts';
import { recordRow } from './record-row.ts';

const RECORD = { namespace: text(16_384), id: requiredText(512) } as const;

const MAX_VERSIONS = 100;

export async function getRecord(panel: PanelParts, query: URLSearchParams): Promise<RecordDetail> {
  const { namespace = '', id } = readQuery(query, RECORD);
  return recordDetail(panel, namespace, id);
}

export async function getRecordText({ places }: PanelParts, query: URLSearchParams): Promise<TextPiece> {
  const { namespace = '', id, offset } = readQuery(query, { ...RECORD, offset: whole(0, 2 ** 31, 0) });
  const { content } = await findRecord(await places.at(namespace), id);
  return textPiece(content, offset);
}

/** @throws Refusal `NOT_FOUND` */
export async function findRecord(store: RecordStore, id: string): Promise<MemoryRecord> {
  const record = await store.get(id);
  if (record === undefined) throw notFound('There is no such memory. It may have been deleted, or replaced.');
  return record;
}

/** Everything about a record. */
export async function recordDetail(panel: PanelParts, namespace: string, id: string): Promise<RecordDetail> {
  const { places, readOnly } = panel;
  const [root, store] = [await places.root(), await places.at(namespace)];
  const record = await findRecord(store, id);
  const { metadata, source, turn, supersedes, supersededBy, validFrom, validUntil, version } = record;
  const canChange = !readOnly && store.writable && !isInternal(store.namespace.slice(root.namespace.length));
  const isOpen = validUntil === undefined;
  return {
    ...recordRow(record, namespace, LIMITS.longText),
    version,
    puts: putCount(version),
    metadata,
    ...withoutUndefined({ source, turn, supersedes, supersededBy, validFrom }),
    versions: await versionsOf(store, id, namespace),
    neighbours: await neighboursOf(store, record, namespace),
    can: {
      edit: canChange && isOpen,
      keepVersions: canChange && isOpen && store.capabilities.history,
      delete: canChange,
    },
  };
}

async function versionsOf(store: RecordStore, id: string, namespace: string): Promise<RecordDetail['versions']> {
  if (!store.capabilities.history) return [];
  const versions = await store.history(id);
  return versions.slice(-MAX_VERSIONS).map((one) => recordRow(one, namespace));
}
