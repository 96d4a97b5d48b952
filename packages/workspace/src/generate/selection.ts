import { isObject } from '@keepsake/internal';
import { NAMES, type Paths } from '../files/layout.ts';
import type { Ledger } from '../files/ledger.ts';
import type { Queue } from '../files/queue.ts';
import { readObject } from './read-object.ts';

/** The conversations that a memory was consolidated from. */
export interface Selection {
  /** The ids of the conversations, newest first, with the time of their last activity. */
  readonly selected: readonly { readonly id: string; readonly updatedAt: string }[];
  /** Conversations that are no longer selected, and since when. Their files are deleted later. */
  readonly removed: readonly { readonly id: string; readonly removedAt: string }[];
}

/** The difference between two selections. */
export interface SelectionChange {
  readonly next: Selection;
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly retained: readonly string[];
  readonly removed: readonly string[];
  /** Removed long enough ago to delete their files. */
  readonly expired: readonly string[];
}

export async function readSelection(ledger: Ledger, paths: Paths): Promise<Selection> {
  const file = await ledger.read(paths.memory(NAMES.selection));
  if (file === undefined) return { selected: [], removed: [] };
  const isList = (list: unknown) => Array.isArray(list) && list.every(isObject);
  return readObject(paths.memory(NAMES.selection), file.text, (it) => isList(it.selected) && isList(it.removed));
}

export function writeSelection(selection: Selection): string {
  return `${JSON.stringify(selection, undefined, 2)}\n`;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Selects the newest conversations by last activity, up to a maximum, and compares them with the previous selection. */
export function select(
  queue: Queue,
  before: Selection,
  options: {
    readonly max: number;
    readonly retainRemovedDays: number;
    readonly now: Date;
    /** Conversations with content that is not extracted yet. Their files stay. */
    readonly unread?: ReadonlySet<string>;
  },
): SelectionChange {
  const { max, retainRemovedDays, now, unread = new Set() } = options;
  const entries = Object.entries(queue).filter(([, { slug }]) => slug !== undefined);
  // Ties are broken by id, so that the order is stable.
  entries.sort(([a, one], [b, other]) => compare(other.updatedAt, one.updatedAt) || compare(a, b));
  const selected = entries.slice(0, max).map(([id, { updatedAt }]) => ({ id, updatedAt }));
  const ids = new Set(selected.map(({ id }) => id));
  const old = new Map(before.selected.map(({ id, updatedAt }) => [id, updatedAt]));
  const removedNow = [...old.keys()].filter((id) => !ids.has(id));
  const removedBefore = before.removed.filter(({ id }) => !ids.has(id) && !removedNow.includes(id));
  // A conversation that was never selected counts as removed from now on.
  const never = entries
    .map(([id]) => id)
    .filter((id) => !ids.has(id) && !old.has(id) && !removedBefore.some((each) => each.id === id));
  const removed = [...removedBefore, ...[...removedNow, ...never].map((id) => ({ id, removedAt: now.toISOString() }))];
  const isExpired = ({ id, removedAt }: Selection['removed'][number]) =>
    !unread.has(id) && now.getTime() - Date.parse(removedAt) >= retainRemovedDays * DAY_MS;
  const is = (state: (was: string | undefined, updatedAt: string) => boolean) =>
    selected.filter(({ id, updatedAt }) => state(old.get(id), updatedAt)).map(({ id }) => id);
  return {
    next: { selected, removed: removed.filter((each) => !isExpired(each)) },
    added: is((was) => was === undefined),
    updated: is((was, updatedAt) => was !== undefined && was !== updatedAt),
    retained: is((was, updatedAt) => was === updatedAt),
    removed: removedNow,
    expired: removed.filter(isExpired).map(({ id }) => id),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
