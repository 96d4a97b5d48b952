import { once } from 'node:events';
import { isMemoryError, type RecordStore } from '@keepsake/core';
import { say } from '@keepsake/testing/say';

/** The task of one of several processes. */
export interface HistoryJob {
  /**
   * `race`: supersedes each of `times` records and prints the number of those it did. `extend`: supersedes the newest version
   * of a record until it is killed, and prints the id of each new version. `delete`: deletes the record, with all versions.
   */
  readonly task: 'race' | 'extend' | 'delete';
  readonly writer: string;
  readonly times?: number;
}

/** Supersedes records when the parent process signals it. */
export async function useHistory(store: RecordStore, { task, writer, times = 0 }: HistoryJob): Promise<void> {
  say('ready');
  await once(process.stdin, 'data');
  if (task === 'delete') await store.delete('0');
  if (task === 'race') {
    for (let n = 0; n < times; n++) {
      if (await supersede(store, `${n}`, `${n} by ${writer}`)) say(`${n}`);
    }
  }
  for (let n = 1, newest = '0'; task === 'extend'; n++) {
    const id = `${n} by ${writer}`;
    if (await supersede(store, newest, id)) say(`${id}`);
    newest = (await store.history('0')).at(-1)?.id ?? id;
  }
  process.stdin.destroy();
}

async function supersede(store: RecordStore, supersedes: string, id: string): Promise<boolean> {
  try {
    await store.put({ id, content: `heron ${id}`, supersedes });
    return true;
  } catch (error) {
    if (isMemoryError(error, 'CONFLICT')) return false;
    throw error;
  }
}
