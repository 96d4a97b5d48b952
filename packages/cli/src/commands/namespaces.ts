import { formatNamespace, isWithin, type NamespaceInfo } from '@keepsake/core';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { noteNothing } from '../note-nothing.ts';
import { count } from '../output.ts';
import { allPages } from '../paging.ts';
import { printable } from '../printable.ts';
import { showTable } from '../show-table.ts';
import { dim } from '../style.ts';

interface Options {
  readonly agent?: string;
}

export async function run(context: Context, _: readonly string[], { agent }: Options): Promise<ExitCode> {
  const { output } = context;
  if (agent !== undefined) return (await import('../show-agent.ts')).showAgent(context, agent);
  const found = await findNamespaces(context);
  if (output.json) {
    const items = found.map((info) => ({ name: formatNamespace(info.namespace), ...info }));
    await output.value({ items });
    return EXIT.fine;
  }
  const rows = found.map(({ namespace, recordCount }) => [
    nameOf(namespace, output.isTerminal),
    count(output, recordCount),
  ]);
  await showTable(output, ['namespace', 'memories'], rows);
  if (found.length === 0) noteNothing(context, 'Nothing is remembered');
  return EXIT.fine;
}

/** The namespace that was asked for and those below it, which a store does not list with itself. */
async function findNamespaces(context: Context): Promise<NamespaceInfo[]> {
  const root = context.openStore([]);
  const found: NamespaceInfo[] = [];
  if (context.namespace.length === 0) {
    let recordCount = 0;
    for await (const page of allPages((options) => root.list(options))) recordCount += page.length;
    if (recordCount > 0) found.push({ namespace: [], recordCount });
  }
  for await (const page of allPages((options) => root.namespaces(options))) {
    found.push(...page.filter(({ namespace }) => isWithin(namespace, context.namespace)));
  }
  return found;
}

function nameOf(namespace: readonly string[], forPerson: boolean): string {
  return namespace.length === 0 && forPerson ? dim('(root)') : printable(formatNamespace(namespace));
}
