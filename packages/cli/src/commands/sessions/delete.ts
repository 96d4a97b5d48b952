import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { sessionIds } from '../common/ids.ts';
import { removeEach } from '../common/remove-each.ts';

export async function run(context: Context, ids: readonly string[]): Promise<ExitCode> {
  const sessions = await context.openSessions();
  return removeEach(context.output, ids, {
    what: 'session',
    remove: (id) => sessions.delete(id),
    idsLike: (prefix) => sessionIds(sessions, prefix),
  });
}
