import { once } from 'node:events';
import type { Session } from '@keepsake/core';

/** The task of one of several processes. */
export interface SessionJob {
  /** Appends batches of five items, `times` times or until it is killed; or pops until the session is empty. */
  readonly task: 'append' | 'pop';
  readonly writer: string;
  readonly times?: number;
}

/**
 * Uses a session when the parent process signals it. Prints the number of each stored batch and some reads, or the number of
 * each popped item.
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
      // Every read must be a prefix of the final history.
      if (batch % 20 === 0) console.log(JSON.stringify((await session.getItems()).map(nameOf)));
    }
  }
  process.stdin.destroy();
}

/** The writer, batch and index of an item, as one name. */
export function nameOf({ writer, batch, index }: { writer?: unknown; batch?: unknown; index?: unknown }): string {
  return `${writer} ${batch} ${index}`;
}
