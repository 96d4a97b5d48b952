import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openUser, type UserOptions } from '../open/open-user.ts';

export async function run(context: Context, [id = '']: readonly string[], options: UserOptions): Promise<ExitCode> {
  const { space, principal } = await openUser(context, id, options);
  for await (const line of space.exportUser(principal)) await context.output.line(line.trimEnd());
  return EXIT.fine;
}
