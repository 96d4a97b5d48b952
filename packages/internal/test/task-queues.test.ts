import { expect, it } from 'vitest';
import { TaskQueues } from '../src/index.ts';

it('a task that is added when an earlier one has ended waits for those before it', async () => {
  const queues = new TaskQueues<string>();
  const slow = Promise.withResolvers<void>();
  const steps: string[] = [];
  const first = queues.run('session', async () => {});
  const second = queues.run('session', () => slow.promise.finally(() => steps.push('second')));
  await first;
  const third = queues.run('session', async () => void steps.push('third'));
  slow.resolve();
  await Promise.all([second, third]);
  expect(steps).toEqual(['second', 'third']);
});
