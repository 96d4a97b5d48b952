import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { openWorkspace, type WorkspaceSettings } from '../../open/open-workspace.ts';
import { removeEach } from '../common/remove-each.ts';

export async function run({ output }: Context, ids: readonly string[], settings: WorkspaceSettings): Promise<ExitCode> {
  const memory = openWorkspace(settings);
  try {
    return await removeEach(output, ids, (id) => memory.forget(id), 'conversation');
  } finally {
    await memory.close();
  }
}
