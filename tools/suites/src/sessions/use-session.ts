import { once } from 'node:events';
import type { Session } from '@keepsake/core';

/** What one of several processes does with a session. */
export interface SessionJob {
  /** To append batches of five items, so many `times` or until it is killed; or to pop until there is none. */
  readonly task: 'append' | 'pop';
  readonly writer: string;
  readonly times?: number;
}

/**
 * Uses a session, once the process that has started this one says so. Prints the number of each batch that is there, and now
 * and then what it has read; or the number of each item that it has popped.
 */
export async function useSession(session: Session, { task, writer, times = Infinity }: SessionJob): Promise<void> {
  console.log('ready');
  await once(process.stdin, 'data');
  if (task === 'pop') {
    for (let item = await session.popItem(); item !== undefined; item = await session.popItem())
      console.log(item.number);
  } else {
    for (let batch = 0; batch < times; batch++) {
      const items = Array.from({ length: 5 }, (_, index) => ({ writer, batch, index, text: 'x'.repeat(100 * index) }));
      await session.addItems(items);
      console.log(batch);
      // What was read is never anything but what is there, or the beginning of it.
      if (batch % 20 === 0) console.log(JSON.stringify((await session.getItems()).map(nameOf)));
    }
  }
  process.stdin.destroy();
}

/** Whose it is, and which. */
export function nameOf({ writer, batch, index }: { writer?: unknown; batch?: unknown; index?: unknown }): string {
  return `${writer} ${batch} ${index}`;
}
