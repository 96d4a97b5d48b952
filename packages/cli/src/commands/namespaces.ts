import { formatNamespace, type NamespaceInfo } from '@keepsake/core';
import { allItems, allPages } from '@keepsake/internal';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodeOf } from '../exit-codes.ts';
import { count, type Output } from '../output/output.ts';
import { printable } from '../output/printable.ts';
import { showTable } from '../output/show-table.ts';
import { dim } from '../output/style.ts';
import { noteNothing } from './common/note-nothing.ts';

interface Options {
  readonly agent?: string;
}

export async function run(context: Context, _: readonly string[], { agent }: Options): Promise<ExitCode> {
  const { output } = context;
  if (agent !== undefined) return showNamespacesOf(context, agent);
  const namespaces = await findNamespaces(context);
  if (output.json) {
    const items = namespaces.map((info) => ({ name: formatNamespace(info.namespace), ...info }));
    await output.value({ items });
    return exitCodeOf(items);
  }
  const rows = namespaces.map(({ namespace, recordCount }) => [nameOf(output, namespace), count(output, recordCount)]);
  await showTable(output, ['namespace', 'memories'], rows);
  if (namespaces.length === 0) noteNothing(context, 'There are no memories');
  return exitCodeOf(namespaces);
}

/**
 * Finds the namespace of the options and those below it, as paths below the configured store. Counts the records of the
 * former by reading them, because a store's `namespaces` does not include its own namespace.
 */
async function findNamespaces(context: Context): Promise<NamespaceInfo[]> {
  const [store, own] = [await context.openStore(), context.namespace];
  const namespaces: NamespaceInfo[] = [];
  let recordCount = 0;
  for await (const page of allPages((options) => store.list({ ...options, history: true }))) recordCount += page.length;
  if (recordCount > 0) namespaces.push({ namespace: own, recordCount });
  const configured = store.namespace.length - own.length;
  for await (const { namespace, recordCount } of allItems((options) => store.namespaces(options))) {
    namespaces.push({ namespace: namespace.slice(configured), recordCount });
  }
  return namespaces;
}

function nameOf(output: Output, namespace: readonly string[]): string {
  return namespace.length === 0 && output.isTerminal
    ? dim('(root)', output.stdout)
    : printable(formatNamespace(namespace));
}

/** Prints the namespaces of an agent, with the kind of each. */
async function showNamespacesOf(context: Context, agent: string): Promise<ExitCode> {
  const { output, namespace: parent } = context;
  const { agents } = context.config.configuration.space ?? {};
  const space = await context.config.space({ agents: { [agent]: {}, ...agents } });
  const views = await space.inspect({ agent });
  const items = views.map((view) => {
    const namespace = [...parent, ...view.namespace];
    return { ...view, name: formatNamespace(namespace), namespace };
  });
  if (output.json) {
    await output.value({ items });
    return exitCodeOf(items);
  }
  const rows = items.map(({ name, recordCount, kind }) => [printable(name), count(output, recordCount), kind]);
  await showTable(output, ['namespace', 'memories', 'kind'], rows);
  if (items.length === 0) output.note(`There are no memories of agent ${printable(agent)} in ${context.path}.`);
  return exitCodeOf(items);
}
