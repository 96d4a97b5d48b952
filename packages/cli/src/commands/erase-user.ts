import type { UserErasure } from '@keepsake/conversations';
import type { ErasureReceipt } from '@keepsake/namespaces';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openUser, type UserOptions } from '../open/open-user.ts';
import { countOf, type Output } from '../output/output.ts';
import { printable } from '../output/printable.ts';

interface Options extends UserOptions {
  readonly dryRun?: boolean;
  readonly shared?: boolean;
}

export async function run(context: Context, [id = '']: readonly string[], options: Options): Promise<ExitCode> {
  const { output } = context;
  const { dryRun = false, shared: sharedEntries = false } = options;
  const { space, principal } = await openUser(context, id, options);
  const receipt = await space.eraseUser(principal, { dryRun, sharedEntries });
  if (output.json) await output.value({ ...receipt });
  else if (output.isTerminal) await output.line(describe(output, receipt, sharedEntries));
  else {
    if (dryRun) await output.fields('dry run', 'nothing was erased');
    for (const [name, number] of figures(receipt)) await output.fields(name, number);
    await output.fields('unidentified', receipt.unidentified);
  }
  return EXIT.fine;
}

function figures(receipt: ErasureReceipt): [plural: string, number: number, singular: string][] {
  // Only users have conversations.
  const conversations = receipt.userData.conversations as UserErasure | undefined;
  return [
    ['memories', receipt.memories, 'memory'],
    ['shared entries', receipt.sharedEntries, 'shared entry'],
    ['damaged entries', receipt.damagedEntries, 'damaged entry'],
    ['unsaved turns', receipt.outboxRecords, 'unsaved turn'],
    ['sessions', receipt.sessions, 'session'],
    ['session items', receipt.sessionItems, 'session item'],
    ['conversations', conversations?.sessions ?? 0, 'conversation'],
    ['runs', conversations?.runs ?? 0, 'run'],
    ['profiles', conversations?.profiles ?? 0, 'profile'],
  ];
}

/** Describes the result. Without `--shared`, shared entries were not checked, and the text says so. */
function describe(output: Output, receipt: ErasureReceipt, sharedEntries: boolean): string {
  const { type, id } = receipt.principal;
  const counts = figures(receipt).flatMap(([many, number, one]) =>
    number > 0 ? [countOf(output, number, one, many)] : [],
  );
  const list = new Intl.ListFormat('en').format(counts);
  const who = `${type} ${printable(id)}`;
  const unchecked = sharedEntries ? '' : ' Shared entries were not checked. Add --shared to include them.';
  const unknown = describeUnidentified(output, receipt);
  if (counts.length === 0) return `There is no ${unknown && 'other '}data of ${who}.${unchecked}${unknown}`;
  return receipt.dryRun
    ? `Would erase ${list} of ${who}. Nothing was erased.${unknown}`
    : `Erased ${list} of ${who}. Nothing ${unknown && 'else '}is left.${unchecked}${unknown}`;
}

/** A sentence about what can't be erased because nobody can tell whose it is; '' if there is none. */
function describeUnidentified(output: Output, { unidentified }: ErasureReceipt): string {
  if (unidentified === 0) return '';
  const folders = countOf(output, unidentified, 'session or namespace', 'sessions or namespaces');
  return ` Damage has taken the names of ${folders}, which may be theirs. Run keepsake doctor to find them.`;
}
