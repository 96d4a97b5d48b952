import { isMemoryError } from '@keepsake/core';
import { invalid, readFields, requiredText, text, whole } from '../http/fields.ts';
import type { PanelParts } from '../panel-parts.ts';
import { type DeletionPreview, type DeletionProgress, LIMITS, type RecordRow } from '../protocol.ts';
import { storeToChange } from './change-record.ts';
import type { Deletion, Target } from './deletions.ts';
import { selectedRecords } from './list-records.ts';
import { recordRow } from './record-row.ts';
import { readSelection } from './selection.ts';

const SAMPLE = 20;
/** Deletions in flight at once. */
const CONCURRENCY = 10;

async function deleteNext(panel: PanelParts, deletion: Deletion): Promise<void> {
  const { targets } = deletion;
  for (let done = 0; done < LIMITS.deletionStep && targets.length > 0; done += CONCURRENCY) {
    const next = targets.slice(0, CONCURRENCY);
    const results = await Promise.allSettled(next.map((target) => deleteOne(panel, target)));
    const failed = next.filter((_, index) => results[index]?.status === 'rejected');
    // What failed is tried again by the next step.
    targets.splice(0, next.length, ...failed);
    for (const result of results) if (result.status === 'fulfilled') deletion[result.value]++;
    panel.tree.forget();
    const failure = results.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
  }
}

async function deleteOne(
  panel: PanelParts,
  { namespace, id, version }: Target,
): Promise<'deleted' | 'changed' | 'gone'> {
  const store = await storeToChange(panel, namespace);
  try {
    return (await store.delete(id, { ifVersion: version })) ? 'deleted' : 'gone';
  } catch (error) {
    if (isMemoryError(error, 'CONFLICT')) return 'changed';
    throw error;
  }
}

/** Counts and remembers what a deletion would remove. Changes nothing. */
export async function previewDeletion(panel: PanelParts, body: object): Promise<DeletionPreview> {
  const { rows, more } = 'records' in body ? await namedRows(panel, body) : await selectedRows(panel, body);
  for (const namespace of new Set(rows.map((row) => row.namespace))) await storeToChange(panel, namespace);
  const targets = rows.map(({ namespace, id, version = 0 }) => ({ namespace, id, version }));
  return { token: panel.deletions.add(targets), count: rows.length, more, sample: rows.slice(0, SAMPLE) };
}

export async function stepDeletion(panel: PanelParts, body: object): Promise<DeletionProgress> {
  const { token } = readFields(body, { token: requiredText(256) });
  const deletion = panel.deletions.find(token);
  const step = deletion.step.then(() => deleteNext(panel, deletion));
  deletion.step = step.catch(() => {});
  await step;
  const { deleted, changed, gone, targets } = deletion;
  if (targets.length === 0) panel.deletions.remove(token);
  return { deleted, changed, gone, left: targets.length };
}

interface Rows {
  readonly rows: readonly RecordRow[];
  readonly more: boolean;
}

async function selectedRows(panel: PanelParts, body: object): Promise<Rows> {
  const { select } = readFields(body, { select: (value: unknown) => value });
  if (typeof select !== 'object' || select === null) throw invalid('Pass select or records.');
  const rows: RecordRow[] = [];
  for await (const row of selectedRecords(panel.places, readSelection(select))) {
    if (rows.length === LIMITS.deletionRecords) return { rows, more: true };
    const fullRow = row.version === undefined ? await rowOf(panel, row) : row;
    if (fullRow !== undefined) rows.push(fullRow);
  }
  return { rows, more: false };
}

async function namedRows(panel: PanelParts, body: object): Promise<Rows> {
  const { records } = readFields(body, { records: (value: unknown) => value });
  if (!Array.isArray(records) || records.length > LIMITS.deletionRecords) {
    throw invalid(`records must be a list of at most ${LIMITS.deletionRecords} records.`);
  }
  const rows = new Map<string, RecordRow>();
  for (const one of records) {
    if (typeof one !== 'object' || one === null) throw invalid('records must be a list of { namespace, id }.');
    const { namespace = '', id, version } = readFields(one as object, NAMED);
    const row = await rowOf(panel, { namespace, id });
    // A record that has changed since the person chose it is left out, so the count tells.
    if (row !== undefined && (version === 0 || row.version === version)) rows.set(JSON.stringify([namespace, id]), row);
  }
  return { rows: [...rows.values()], more: false };
}

const NAMED = {
  namespace: text(16_384),
  id: requiredText(512),
  version: whole(1, Number.MAX_SAFE_INTEGER, 0),
} as const;

async function rowOf({ places }: PanelParts, { namespace, id }: Pick<RecordRow, 'namespace' | 'id'>) {
  const record = await (await places.at(namespace)).get(id);
  return record && recordRow(record, namespace);
}
