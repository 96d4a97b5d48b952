import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { countOf } from '../output/output.ts';
import { printable } from '../output/printable.ts';

export async function run(context: Context, [target = '']: readonly string[]): Promise<ExitCode> {
  const { output } = context;
  const { sessions, namespaces, skipped = [] } = await context.backup(target);
  if (output.json) await output.value({ target, sessions, namespaces, skipped });
  else {
    const counts =
      sessions === undefined || namespaces === undefined
        ? ''
        : ` ${countOf(output, sessions, 'session')}, ${countOf(output, namespaces, 'namespace')}.`;
    await output.line(`Backed up ${printable(context.path)} to ${printable(target)}.${counts}`);
    for (const folder of skipped) await output.line(`Skipped ${printable(folder)}. Run keepsake doctor.`);
  }
  return skipped.length === 0 ? EXIT.fine : EXIT.failed;
}
