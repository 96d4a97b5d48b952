import { MemoryError } from '../errors.ts';
import { isObject } from '../is-object.ts';
import type { MemoryEntry } from '../memory-store.ts';
import type { MemoryChange } from './extraction-config.ts';

/**
 * Reads what a model answered: JSON as an object or as text, fenced or among other words.
 *
 * @param known - The entries that were shown, under the numbers 1, 2, 3, …
 * @throws MemoryError `BACKEND` for anything but the changes that were asked for. An update of what was not shown is an
 *   addition, a deletion of it nothing.
 */
export function parseAnswer(
  answer: { readonly text: string; readonly object?: unknown },
  known: readonly MemoryEntry[],
): MemoryChange[] {
  const changes = changesOf(answer.object) ?? changesIn(answer.text);
  if (changes === undefined) throw notUnderstood();
  return changes.flatMap((change: unknown) => readChange(change, known));
}

function readChange(change: unknown, known: readonly MemoryEntry[]): MemoryChange[] {
  if (!isObject(change)) throw notUnderstood();
  const { action, id, content } = change as { action?: unknown; id?: unknown; content?: unknown };
  const entry = /^[1-9]\d{0,5}$/.test(String(id)) ? known[Number(id) - 1]?.id : undefined;
  if (action === 'delete') return entry === undefined ? [] : [{ kind: 'delete', id: entry }];
  if ((action !== 'add' && action !== 'update') || typeof content !== 'string') throw notUnderstood();
  const text = content.trim();
  if (text === '') return [];
  return action === 'update' && entry !== undefined
    ? [{ kind: 'update', id: entry, content: text }]
    : [{ kind: 'add', content: text }];
}

/** The changes in a text: the whole is JSON, or what stands in a fence, or from the first bracket to the last. */
function changesIn(text: unknown): readonly unknown[] | undefined {
  if (typeof text !== 'string') return undefined;
  const fence = text.indexOf('```');
  const fenced = fence < 0 ? '' : text.slice(fence + 3, text.lastIndexOf('```')).replace(/^\w*/, '');
  const between = (open: string, close: string) => text.slice(text.indexOf(open), text.lastIndexOf(close) + 1);
  // A list inside of an object is no answer.
  const list = text.slice(0, text.indexOf('[')).includes('{') ? '' : between('[', ']');
  for (const part of [text, fenced, between('{', '}'), list]) {
    try {
      const changes = changesOf(JSON.parse(part));
      if (changes !== undefined) return changes;
    } catch {
      // The next part may be JSON.
    }
  }
  return undefined;
}

/** What was asked for is `{ changes: […] }`; the list alone is understood too. */
function changesOf(value: unknown): readonly unknown[] | undefined {
  const changes = isObject(value) && 'changes' in value ? value.changes : value;
  return Array.isArray(changes) ? changes : undefined;
}

function notUnderstood(): MemoryError {
  return new MemoryError(
    'BACKEND',
    'The model did not answer with the JSON that extraction asked for. Use one that follows schemas.',
  );
}
