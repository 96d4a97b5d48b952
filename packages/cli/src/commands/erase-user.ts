import type { UserErasure } from '@keepsake/conversations';
import type { ErasureReceipt } from '@keepsake/namespaces';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openConversations } from '../open-conversations.ts';
import { openSpace, type PrincipalOptions, principalOf } from '../open-space.ts';
import { count, type Output } from '../output.ts';
import { printable } from '../printable.ts';

interface Options extends PrincipalOptions {
  readonly dryRun?: boolean;
  readonly shared?: boolean;
  readonly tenant?: string;
}

/** What was erased of memories and sessions, and of conversations, which only users have. */
interface Erased {
  readonly receipt: ErasureReceipt;
  readonly conversations: UserErasure | undefined;
}

export async function run(context: Context, [id = '']: readonly string[], options: Options): Promise<ExitCode> {
  const { output } = context;
  await using space = openSpace(context);
  const { dryRun = false, shared: sharedEntries = false } = options;
  const receipt = await space.eraseUser(principalOf(id, options), { dryRun, sharedEntries });
  const conversations =
    receipt.principal.type === 'user' ? await openConversations(context, options).eraseUser(id, { dryRun }) : undefined;
  const erased = { receipt, conversations };
  if (output.json) await output.value({ ...receipt, ...(conversations && { conversations }) });
  else if (output.isTerminal) await output.line(sentence(output, erased, sharedEntries));
  else for (const [name, number] of figures(erased)) await output.fields(name, number);
  return EXIT.fine;
}

function figures({ receipt, conversations }: Erased): [what: string, number: number][] {
  return [
    ['memories', receipt.memories],
    ['shared entries', receipt.sharedEntries],
    ['unsaved turns', receipt.outboxRecords],
    ['sessions', receipt.sessions],
    ['session items', receipt.sessionItems],
    ['conversations', conversations?.sessions ?? 0],
    ['runs', conversations?.runs ?? 0],
    ['profiles', conversations?.profiles ?? 0],
  ];
}

/** What came of it. What is shared was not looked at unless that was asked for, so nothing is said of it. */
function sentence(output: Output, erased: Erased, sharedEntries: boolean): string {
  const { receipt } = erased;
  const { type, id } = receipt.principal;
  const counts = figures(erased).flatMap(([what, number]) => (number > 0 ? [`${count(output, number)} ${what}`] : []));
  const who = `${type} ${printable(id)}`;
  const beside = sharedEntries ? '' : ', but for what they may have shared (--shared)';
  if (counts.length === 0) return `There is nothing of ${who}${beside}.`;
  return receipt.dryRun
    ? `Of ${who} there are ${counts.join(', ')}. Nothing was erased.`
    : `Erased of ${who}: ${counts.join(', ')}. Nothing is left${beside}.`;
}
