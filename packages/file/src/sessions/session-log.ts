import type { AskedHistory, DecideEdit, HistoryEdit, SessionBackend } from '@keepsake/core/adapter';
import { asMemoryError } from '../disk/file-errors.ts';
import { announceChange } from '../listing/changes.ts';
import { NOTHING } from '../log/batch-footer.ts';
import type { Report } from '../log/corruption.ts';
import { type Change, Log, type LogOptions } from '../log/log.ts';
import type { LogEntry } from '../log/log-reader.ts';
import { itemLine, type SessionLine, SessionView, writeLine } from './session-view.ts';

/** The log of one session. Its damaged lines are reported where they are read. */
export class SessionLog implements SessionBackend {
  readonly repair = 'restore its log from a backup';
  readonly #view: SessionView;
  readonly #log: Log<SessionLine>;

  constructor(sessionId: string, folder: string, options: LogOptions, report: Report) {
    this.#view = new SessionView(report);
    this.#log = new Log(folder, { keepsake: 'session', version: 1, of: sessionId }, this.#view, {
      ...options,
      announce: announceChange,
    });
  }

  newest(limit: number): Promise<readonly object[]> {
    const newest = this.#log.readFromBehind((_, lines) => newestItems(lines, limit));
    return asMemoryError(newest.then((items) => items ?? this.#readAll(limit)));
  }

  append(items: readonly string[]): Promise<void> {
    const lines = items.map(itemLine);
    return asMemoryError(this.#log.append({ lines, items: lines.length, live: lines.length }));
  }

  change({ items: count, onlyDamaged, operation }: AskedHistory, decide: DecideEdit): Promise<void> {
    return asMemoryError(
      this.#log.change((read) => {
        const asked = newestOf(this.#view.items, count).filter(({ damaged }) => damaged || !onlyDamaged);
        const edit = decide({
          exists: !this.#view.isNew,
          items: asked.map((item) => (item.damaged ? '' : JSON.stringify(read(item).item))),
          digest: operation && this.#view.operations.get(operation.operationId)?.digest,
        });
        return edit && this.#changeFor(edit, operation);
      }),
    );
  }

  /** Removes the log. Returns whether there was one. */
  remove(): Promise<boolean> {
    return asMemoryError(this.#log.remove());
  }

  #changeFor({ drop, append, forgetOperations }: HistoryEdit, operation: AskedHistory['operation']): Change {
    const { totals, items } = this.#view;
    if (forgetOperations) return { lines: [writeLine({ clear: true })], kept: { ...totals, ...NOTHING } };
    const from = drop === Infinity ? 0 : items[items.length - drop]?.number;
    const line = {
      ...(from !== undefined && { drop: from }),
      ...(operation && { operation: { id: operation.operationId, digest: operation.digest } }),
    };
    return {
      lines: [writeLine(line), ...append.map(itemLine)],
      items: append.length,
      live: append.length + (operation ? 1 : 0),
      kept: from === undefined ? totals : this.#view.totalsBelow(from),
    };
  }

  #readAll(limit: number): Promise<object[]> {
    return this.#log.read((read) => {
      const sound = this.#view.items.filter(({ damaged }) => !damaged);
      return newestOf(sound, limit).map((item) => read(item).item as object);
    });
  }
}

function newestOf<Item>(items: readonly Item[], count: number): readonly Item[] {
  return items.slice(Math.max(0, items.length - count));
}

/** The newest items of a session, oldest first. Takes log lines, newest first, and reads no further than needed. */
export function newestItems(lines: Iterable<LogEntry<SessionLine>>, count: number): object[] {
  const items: object[] = [];
  if (count === 0) return items;
  let dropped = Infinity;
  for (const { line } of lines) {
    // The changes of a line, in reverse order.
    if (line.item && line.number < dropped) items.push(line.item);
    if (items.length === count || line.clear) break;
    dropped = Math.min(dropped, line.drop ?? Infinity);
  }
  return items.reverse();
}
