import { isObject } from '@keepsake/internal';
import { MemoryError } from '../../common/errors.ts';
import type { JsonObjectInput } from '../../json/json.ts';
import type { MemoryEntry } from '../../store/memory-store.ts';
import { copyMetadata } from '../../store/record-input.ts';
import { plainText } from '../injection/plain-text.ts';
import { type ChangeSpeaker, isSpeaker, type MemoryChange } from './extraction-config.ts';
import type { PlannedChange } from './plan.ts';

/** What an extractor was shown, and how much it may change. */
interface Terms {
  readonly known: readonly MemoryEntry[];
  /** Who said it where a change does not say so. */
  readonly speaker: ChangeSpeaker | undefined;
  /** Whether the store can update and delete. */
  readonly canRevise: boolean;
  /** The maximum number of changes. */
  readonly max: number;
  /** Called with the number of invalid changes, and of those beyond the maximum, that are left out. */
  readonly onLeftOut: (error: MemoryError, count: number) => void;
}

/**
 * The allowed changes of an extractor: to memories that it was shown, each once, and no additions that are already known. An
 * update of another memory becomes an addition.
 *
 * @throws MemoryError `BACKEND` unless the answer is a list with a valid change, or an empty one.
 */
export function acceptChanges(answer: unknown, terms: Terms): PlannedChange[] {
  const { max, onLeftOut } = terms;
  if (!Array.isArray(answer)) throw new MemoryError('BACKEND', 'The extractor did not return a list of changes.');
  const valid = answer.flatMap(validChange);
  const invalid = answer.length - valid.length;
  const left = new MemoryError('BACKEND', 'The extractor returned changes that are not valid. They are left out.');
  if (invalid > 0 && valid.length === 0) throw left;
  if (invalid > 0) onLeftOut(left, invalid);

  const accepted = allowed(valid, terms);
  const over = accepted.length - max;
  if (over > 0) onLeftOut(new MemoryError('TOO_LARGE', `Only ${max} changes are taken from one answer.`), over);
  return accepted.slice(0, max);
}

function allowed(changes: readonly MemoryChange[], { known, canRevise, speaker }: Terms): PlannedChange[] {
  const shown = new Map(known.map((entry) => [entry.id, entry.content]));
  const facts = new Set(known.map(({ content }) => plainText(content)));
  const touched = new Set<string>();
  const said = speaker === undefined ? {} : { speaker };
  return changes.flatMap((change): PlannedChange[] => {
    if (change.kind !== 'add' && canRevise && shown.has(change.id)) {
      if (touched.has(change.id)) return [];
      touched.add(change.id);
      return [change.kind === 'delete' ? { ...change, was: shown.get(change.id) as string } : { ...said, ...change }];
    }
    if (change.kind === 'delete') return [];
    const { content, metadata, speaker: own } = change;
    const plain = plainText(content);
    if (plain === '' || facts.has(plain)) return [];
    facts.add(plain);
    return [{ kind: 'add', content, ...(metadata && { metadata }), ...said, ...(own && { speaker: own }) }];
  });
}

/** A copy of a change of an extractor, or nothing if it is not valid. */
function validChange(change: unknown): MemoryChange[] {
  if (!isObject(change)) return [];
  const { kind, id, content, metadata, speaker } = change;
  if (kind === 'delete') return typeof id === 'string' ? [{ kind, id }] : [];
  if (typeof content !== 'string' || (speaker !== undefined && !isSpeaker(speaker))) return [];
  try {
    const told = {
      ...(metadata !== undefined && { metadata: copyMetadata(metadata as JsonObjectInput, 'metadata') }),
      ...(speaker !== undefined && { speaker }),
    };
    if (kind === 'add') return [{ kind, content, ...told }];
    return kind === 'update' && typeof id === 'string' ? [{ kind, id, content, ...told }] : [];
  } catch {
    return [];
  }
}
