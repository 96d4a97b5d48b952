import { isObject, placeholder } from '@keepsake/internal';
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
 * The allowed changes of an extractor: to memories that it was shown, and no additions that are already known. An update of
 * another memory becomes an addition, and so does a second update of the same one. Additions come last, because an update
 * may make room for one.
 *
 * Left out and reported: a change whose content stands for nothing, such as `…` and `N/A`, with all deletions of that answer,
 * because small models repeat the example of their prompt, and replace a memory by a deletion and an addition; and the deletion
 * of a memory that the answer also updates. "No change" as an update leaves the deletions of other memories. Deleting a memory
 * and adding the same text changes nothing.
 *
 * @throws MemoryError `BACKEND` unless the answer is a list with a valid change, one that says that there is nothing, or an
 *   empty one.
 */
export function acceptChanges(answer: unknown, terms: Terms): PlannedChange[] {
  const { max, onLeftOut } = terms;
  if (!Array.isArray(answer)) throw new MemoryError('BACKEND', 'The extractor did not return a list of changes.');
  const valid = answer.flatMap(validChange);
  const blankOf = (change: MemoryChange) => (change.kind === 'delete' ? undefined : placeholder(change.content));
  const isUnchanged = (change: MemoryChange) => change.kind === 'update' && blankOf(change) === 'nothing';
  const deletes = valid.every((change) => blankOf(change) === undefined || isUnchanged(change));
  const updated = new Set(valid.flatMap((change) => (change.kind === 'update' ? change.id : [])));
  const consistent = valid.filter((change) =>
    change.kind === 'delete' ? deletes && !updated.has(change.id) : blankOf(change) === undefined,
  );
  const invalid = answer.length - consistent.length;
  const left = new MemoryError('BACKEND', 'The extractor returned changes that are not valid. They are left out.');
  const isNothing = valid.some((change) => blankOf(change) === 'nothing');
  if (invalid > 0 && consistent.length === 0 && !isNothing) throw left;
  if (invalid > 0) onLeftOut(left, invalid);

  const accepted = allowed(consistent, terms);
  const over = accepted.length - max;
  if (over > 0) onLeftOut(new MemoryError('TOO_LARGE', `Only ${max} changes are taken from one answer.`), over);
  return accepted.slice(0, max);
}

function allowed(changes: readonly MemoryChange[], { known: entries, canRevise, speaker }: Terms): PlannedChange[] {
  const shown = new Map(entries.map((entry) => [entry.id, entry.content]));
  const said = speaker === undefined ? {} : { speaker };
  const revisions: Exclude<PlannedChange, { kind: 'add' }>[] = [];
  const additions: Extract<MemoryChange, { content: string }>[] = [];
  const updated = new Set<string>();
  for (const change of changes) {
    const was = change.kind === 'add' || !canRevise ? undefined : shown.get(change.id);
    if (change.kind === 'delete') {
      if (was !== undefined) revisions.push({ ...change, was });
    } else if (change.kind === 'add' || was === undefined || updated.has(change.id)) {
      additions.push(change);
    } else {
      updated.add(change.id);
      revisions.push({ ...said, ...change });
    }
  }
  const facts = new Set(entries.flatMap(({ id, content }) => (updated.has(id ?? '') ? [] : plainText(content))));
  for (const revision of revisions) if (revision.kind === 'update') facts.add(plainText(revision.content));
  const told = new Set(additions.map(({ content }) => plainText(content)));
  const deleted = new Set<string>();
  return [
    ...revisions.filter((change) => {
      if (change.kind === 'update') return true;
      const isRepeated = deleted.has(change.id) || told.has(plainText(shown.get(change.id) as string));
      deleted.add(change.id);
      return !isRepeated;
    }),
    ...additions.flatMap(({ content, metadata, speaker: own }): PlannedChange[] => {
      const plain = plainText(content);
      if (facts.has(plain)) return [];
      facts.add(plain);
      return [{ kind: 'add', content, ...(metadata && { metadata }), ...said, ...(own && { speaker: own }) }];
    }),
  ];
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
