import { Child } from '../child.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

/** Fills the compile cache for children that are killed, because they can't save it themselves. */
export default async function warmUp(): Promise<void> {
  const { path: directory, remove } = temporaryDirectory();
  const worker = new Child('worker', { task: 'nothing', directory });
  worker.go();
  const interruption = { signal: 'SIGKILL', call: 1_000_000 } as const;
  const interrupted = new Child('interrupted', { task: 'nothing', directory, interruption });
  await Promise.all([worker.end, interrupted.end]);
  remove();
}
