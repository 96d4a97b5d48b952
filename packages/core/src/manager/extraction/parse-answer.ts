import { isObject, listAnswer } from '@keepsake/internal';
import { MemoryError } from '../../common/errors.ts';
import { type ExtractionBatch, isSpeaker, type MemoryChange } from './extraction-config.ts';

/**
 * Reads a model's answer: a JSON object, or text with JSON, see `listAnswer`.
 *
 * @param batch - The known entries as shown, numbered 1, 2, 3, …, and the messages. A speaker who said none of them is left
 *   out: it may come from an instruction in a message.
 * @returns the changes, with `undefined` in the place of an invalid one. If there is one, deletions are `undefined` as well: it
 *   may have been the new wording of what they delete. The manager leaves these out and reports them. An update of an unknown
 *   entry becomes an addition, a deletion of one is ignored.
 * @throws MemoryError `BACKEND` for an answer without a valid change, unless it is an empty list.
 */
export function parseAnswer(
  answer: { readonly text: string; readonly object?: unknown },
  batch: Shown,
): (MemoryChange | undefined)[] {
  const answered = listAnswer(answer, 'changes', (value) => isObject(value) && 'action' in value);
  if (answered === undefined) throw notUnderstood();
  const changes = answered.map((change: unknown) => readChange(change, batch));
  if (changes.length > 0 && !changes.some(Array.isArray)) throw notUnderstood();
  // Models also replace an entry by a deletion and an addition. Without the addition, the fact would be gone.
  const isWhole = changes.every(Array.isArray);
  const isKept = (change: MemoryChange[]) => isWhole || change[0]?.kind !== 'delete';
  return changes.flatMap((change) => (change !== undefined && isKept(change) ? change : [undefined]));
}

type Shown = Pick<ExtractionBatch, 'known' | 'messages'>;

/** The change, if it is valid; nothing to do is a valid one. */
function readChange(change: unknown, { known: entries, messages }: Shown): MemoryChange[] | undefined {
  if (!isObject(change)) return undefined;
  const { id, content, speaker } = change;
  const action = typeof change.action === 'string' ? change.action.toLowerCase() : undefined;
  const isNumber = typeof id !== 'object' && /^[1-9]\d{0,5}$/.test(String(id));
  const entry = isNumber ? entries[Number(id) - 1]?.id : undefined;
  if (action === 'delete') return entry === undefined ? [] : [{ kind: 'delete', id: entry }];
  if ((action !== 'add' && action !== 'update') || typeof content !== 'string') return undefined;
  const text = content.trim();
  if (text === '') return [];
  const spoke = isSpeaker(speaker) && messages.some(({ role }) => role === speaker);
  const said = { content: text, ...(spoke && { speaker }) };
  return action === 'update' && entry !== undefined
    ? [{ kind: 'update', id: entry, ...said }]
    : [{ kind: 'add', ...said }];
}

function notUnderstood(): MemoryError {
  return new MemoryError(
    'BACKEND',
    'The model did not answer with the requested JSON. Use a model that supports schemas.',
  );
}
