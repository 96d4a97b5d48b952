import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { removeEach } from '../common/remove-each.ts';

export async function run(context: Context, ids: readonly string[]): Promise<ExitCode> {
  const sessions = context.openSessions();
  return removeEach(context.output, ids, (id) => sessions.delete(id), 'session');
}
