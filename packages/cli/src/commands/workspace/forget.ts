import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { openWorkspace, type WorkspaceSettings } from '../../open/open-workspace.ts';
import { removeEach } from '../common/remove-each.ts';

export async function run(context: Context, ids: readonly string[], settings: WorkspaceSettings): Promise<ExitCode> {
  const memory = await openWorkspace(context, settings);
  try {
    return await removeEach(context.output, ids, {
      what: 'conversation',
      remove: (id) => memory.forget(id),
      async *idsLike() {
        for (const { rolloutId } of await memory.conversations()) yield rolloutId;
      },
    });
  } finally {
    await memory.close();
  }
}
