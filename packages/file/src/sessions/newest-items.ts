import type { LogEntry } from '../log/log-reader.ts';
import type { SessionLine } from './session-view.ts';

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
