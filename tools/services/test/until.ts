import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Polls a condition until it is true. The time limit of the test ends an unsuccessful wait. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20);
}

/** Whether the port accepts connections. */
export function listens(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1');
  socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
