import { isObject, jsonAnswers } from '@keepsake/internal';
import { MemoryError } from '../../common/errors.ts';
import type { MemoryEntry } from '../../store/memory-store.ts';
import type { MemoryChange } from './extraction-config.ts';

/**
 * Parses a model's answer: a JSON object, or text with JSON, fenced or among other words.
 *
 * @param known - The entries as shown, numbered 1, 2, 3, …
 * @throws MemoryError `BACKEND` for an answer without valid changes. An update of an unknown entry becomes an addition, a
 *   deletion of one is ignored.
 */
export function parseAnswer(
  answer: { readonly text: string; readonly object?: unknown },
  known: readonly MemoryEntry[],
): MemoryChange[] {
  const changes = jsonAnswers(answer).map(changesOf).find(Array.isArray);
  if (changes === undefined) throw notUnderstood();
  return changes.flatMap((change: unknown) => readChange(change, known));
}

function readChange(change: unknown, known: readonly MemoryEntry[]): MemoryChange[] {
  if (!isObject(change)) throw notUnderstood();
  const { action, id, content } = change;
  const entry = /^[1-9]\d{0,5}$/.test(String(id)) ? known[Number(id) - 1]?.id : undefined;
  if (action === 'delete') return entry === undefined ? [] : [{ kind: 'delete', id: entry }];
  if ((action !== 'add' && action !== 'update') || typeof content !== 'string') throw notUnderstood();
  const text = content.trim();
  if (text === '') return [];
  return action === 'update' && entry !== undefined
    ? [{ kind: 'update', id: entry, content: text }]
    : [{ kind: 'add', content: text }];
}

/** The expected answer is `{ changes: […] }`; the list alone is accepted, too. */
function changesOf(value: unknown): unknown {
  return isObject(value) && 'changes' in value ? value.changes : value;
}

function notUnderstood(): MemoryError {
  return new MemoryError(
    'BACKEND',
    'The model did not answer with the requested JSON. Use a model that supports schemas.',
  );
}
