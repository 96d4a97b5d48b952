import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { removeEach } from './common/remove-each.ts';

export async function run(context: Context, ids: readonly string[]): Promise<ExitCode> {
  const store = context.openStore();
  return removeEach(context.output, ids, (id) => store.delete(id), 'memory');
}
