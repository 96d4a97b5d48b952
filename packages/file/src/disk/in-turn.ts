import { SharedTurn, TaskQueues } from '@keepsake/internal';

/** Without a wait for the disk, no call leaves the turn of the event loop in which it began. So calls wait for this first. */
export const TURN = new SharedTurn(10);

const queues = new TaskQueues<string>();

/** Runs tasks with the same key one after the other, in the order of the calls. */
export function serially<T>(key: string, task: () => Promise<T>): Promise<T> {
  return queues.run(key, async () => {
    await TURN.wait;
    return task();
  });
}
