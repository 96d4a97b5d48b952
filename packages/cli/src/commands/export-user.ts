import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openSpace, type PrincipalOptions, principalOf } from '../open-space.ts';

export async function run(
  context: Context,
  [id = '']: readonly string[],
  options: PrincipalOptions,
): Promise<ExitCode> {
  await using space = openSpace(context);
  for await (const line of space.exportUser(principalOf(id, options))) await context.output.line(line.trimEnd());
  return EXIT.fine;
}
