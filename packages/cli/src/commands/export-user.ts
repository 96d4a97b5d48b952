import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openConversations } from '../open/open-conversations.ts';
import { type PrincipalOptions, principalOf, withSpace } from '../open/with-space.ts';

export async function run(
  context: Context,
  [id = '']: readonly string[],
  options: PrincipalOptions & { readonly tenant?: string },
): Promise<ExitCode> {
  const { output } = context;
  await withSpace(context, async (space) => {
    for await (const line of space.exportUser(principalOf(id, options))) await output.line(line.trimEnd());
  });
  if (options.service) return EXIT.fine;
  for await (const line of openConversations(context, options).exportUser(id)) await output.line(line.trimEnd());
  return EXIT.fine;
}
