import { type FilterRule, type IndexedField, requiredValues, throwIfAborted } from '@keepsake/core/adapter';
import { INDEX_FIELDS } from '../lua/records/index-fields.ts';
import { REPLY } from '../lua/records/replies.ts';
import type { Records } from './records.ts';
import { awaitStaged } from './staged-batches.ts';

/** The declared fields that a filter can use, as scripts read them: JSON, or '' for none. */
export function fieldsFor(declared: readonly IndexedField[], rules: readonly FilterRule[]): string {
  const fields = requiredValues(declared, rules).map(({ field }) => [field.part, field.field]);
  return fields.length === 0 ? '' : JSON.stringify(fields);
}

/**
 * Indexes fields for the records that are there, in steps. Returns what to ask the next script for: the fields, or '' if they
 * can't be indexed. Then the search goes on without: users who may not write can search, and so can replicas.
 */
export async function tryIndexing(records: Records, fields: string, signal: AbortSignal | undefined): Promise<string> {
  try {
    for (let isComplete = false; !isComplete; ) {
      throwIfAborted(signal);
      const [reply, complete] = await records.runChecked(INDEX_FIELDS, [fields]);
      if (reply === REPLY.done) isComplete = complete === 1;
      else await awaitStaged(records, reply);
    }
    return fields;
  } catch {
    throwIfAborted(signal);
    return '';
  }
}
