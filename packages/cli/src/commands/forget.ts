import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { memoryIds } from './common/ids.ts';
import { removeEach } from './common/remove-each.ts';

export async function run(context: Context, ids: readonly string[]): Promise<ExitCode> {
  const store = await context.openStore();
  return removeEach(context.output, ids, {
    what: 'memory',
    remove: (id) => store.delete(id),
    idsLike: (prefix) => memoryIds(store, prefix),
  });
}
