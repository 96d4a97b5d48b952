import { setTimeout } from 'node:timers/promises';

/** Calls `look` again and again until it finds something: whatever the disk takes, and however late timers are. */
export async function untilFound(look: () => Promise<readonly unknown[]>): Promise<void> {
  while ((await look()).length === 0) await setTimeout(20);
}
