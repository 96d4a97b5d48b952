import { formatNamespace, type NamespaceInfo } from '@keepsake/core';
import { isWithin } from '@keepsake/core/adapter';
import { allPages } from '@keepsake/internal';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { count } from '../output/output.ts';
import { printable } from '../output/printable.ts';
import { showTable } from '../output/show-table.ts';
import { dim } from '../output/style.ts';
import { noteNothing } from './common/note-nothing.ts';

interface Options {
  readonly agent?: string;
}

export async function run(context: Context, _: readonly string[], { agent }: Options): Promise<ExitCode> {
  const { output } = context;
  if (agent !== undefined) return (await import('./namespaces-of-agent.ts')).showNamespacesOf(context, agent);
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
  if (found.length === 0) noteNothing(context, 'There are no memories');
  return EXIT.fine;
}

/**
 * Finds the namespace of the options and those below it. Counts the records of the root separately, because a store's
 * `namespaces` does not include its own namespace.
 */
async function findNamespaces(context: Context): Promise<NamespaceInfo[]> {
  const root = context.openStore([]);
  const found: NamespaceInfo[] = [];
  if (context.namespace.length === 0) {
    let recordCount = 0;
    for await (const page of allPages((options) => root.list({ ...options, history: true })))
      recordCount += page.length;
    if (recordCount > 0) found.push({ namespace: [], recordCount });
  }
  for await (const page of allPages((options) => root.namespaces(options))) {
    found.push(...page.filter(({ namespace }) => isWithin(namespace, context.namespace)));
  }
  return found;
}

function nameOf(namespace: readonly string[], isTerminal: boolean): string {
  return namespace.length === 0 && isTerminal ? dim('(root)') : printable(formatNamespace(namespace));
}
