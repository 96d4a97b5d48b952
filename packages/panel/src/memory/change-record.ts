import { type JsonObject, MemoryError, type MemoryRecord, type RecordInput, type RecordStore } from '@keepsake/core';
import { keptFields } from '@keepsake/internal';
import { flag, invalid, object, readFields, requiredText, text, whole } from '../http/fields.ts';
import { notFound } from '../http/refusal.ts';
import type { PanelParts } from '../panel-parts.ts';
import type { DeletedRecord, RecordDetail } from '../protocol.ts';
import { isInternal } from './memory-places.ts';
import { findRecord, recordDetail } from './record-detail.ts';

const REF = {
  namespace: text(16_384),
  id: requiredText(512),
  ifVersion: whole(1, Number.MAX_SAFE_INTEGER, 0),
} as const;

/** Longer contents are refused by the store, which counts bytes. */
const CONTENT = requiredText(2_097_152);

export async function editRecord(panel: PanelParts, body: object): Promise<RecordDetail> {
  const fields = readFields(body, { ...REF, content: CONTENT, metadata: object, keepVersion: flag });
  const { store, record, ref } = await recordToChange(panel, fields);
  const input: RecordInput = {
    ...keptFields(record),
    ...(fields.keepVersion ? { supersedes: record.id } : { id: record.id }),
    content: fields.content,
    ...(fields.metadata !== undefined && { metadata: fields.metadata as JsonObject }),
  };
  return changed(panel, ref.namespace, await store.put(input, { ifVersion: ref.ifVersion }));
}

export async function buryRecord(panel: PanelParts, body: object): Promise<RecordDetail> {
  const fields = readFields(body, { ...REF, buried: flag });
  const { store, record, ref } = await recordToChange(panel, fields);
  const { id, content } = record;
  const input = { ...keptFields(record), id, content, index: !fields.buried };
  return changed(panel, ref.namespace, await store.put(input, { ifVersion: ref.ifVersion }));
}

/** Puts the text of an earlier version as a new version, so that the history tells that it was restored. */
export async function restoreRecord(panel: PanelParts, body: object): Promise<RecordDetail> {
  const fields = readFields(body, { ...REF, versionId: requiredText(512) });
  const { store, record, ref } = await recordToChange(panel, fields);
  const before = (await store.history(record.id)).find(({ id }) => id === fields.versionId);
  if (before === undefined) throw notFound('There is no such version of this memory.');
  const { content, metadata } = before;
  const input = { ...keptFields(record), supersedes: record.id, content, metadata };
  return changed(panel, ref.namespace, await store.put(input, { ifVersion: ref.ifVersion }));
}

export async function deleteRecord(panel: PanelParts, body: object): Promise<DeletedRecord> {
  const fields = readFields(body, REF);
  const { namespace = '', id, ifVersion } = withVersion(fields);
  const store = await storeToChange(panel, namespace);
  const deleted = await store.delete(id, { ifVersion });
  panel.tree.forget();
  return { deleted };
}

/** The store of a namespace whose records people may change. */
export async function storeToChange({ places }: PanelParts, namespace: string): Promise<RecordStore> {
  const [root, store] = [await places.root(), await places.at(namespace)];
  if (isInternal(store.namespace.slice(root.namespace.length))) {
    throw invalid('A program keeps these records for itself. Delete the conversation, or erase the user, instead.');
  }
  return store;
}

type Ref = { readonly [Name in keyof typeof REF]: ReturnType<(typeof REF)[Name]> };

async function recordToChange(panel: PanelParts, fields: Ref) {
  const ref = { ...withVersion(fields), namespace: fields.namespace ?? '' };
  const store = await storeToChange(panel, ref.namespace);
  const record = await findRecord(store, ref.id);
  if (record.version !== ref.ifVersion || record.validUntil !== undefined) {
    throw new MemoryError('CONFLICT', 'Somebody has changed this memory. Load it again, and repeat your change.');
  }
  return { store, record, ref };
}

function withVersion(ref: Ref): Ref {
  if (ref.ifVersion === 0) throw invalid('ifVersion is missing: the version that you saw.');
  return ref;
}

async function changed(panel: PanelParts, namespace: string, { id }: MemoryRecord): Promise<RecordDetail> {
  panel.tree.forget();
  return recordDetail(panel, namespace, id);
}
