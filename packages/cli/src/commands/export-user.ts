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
  const userData = { conversations: openConversations(context, options) };
  await withSpace(
    context,
    async (space) => {
      for await (const line of space.exportUser(principalOf(id, options))) await output.line(line.trimEnd());
    },
    { userData, userNamespaces: options.userNamespace },
  );
  return EXIT.fine;
}
