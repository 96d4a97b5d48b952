import { formatNamespace } from '@keepsake/core';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodeOf } from '../exit-codes.ts';
import { count } from '../output/output.ts';
import { printable } from '../output/printable.ts';
import { showTable } from '../output/show-table.ts';

/** Prints the namespaces of an agent, with the kind of each. */
export async function showNamespacesOf(context: Context, agent: string): Promise<ExitCode> {
  const { output, namespace: parent } = context;
  const { agents } = context.config.configuration.space ?? {};
  const space = await context.config.space({ agents: { [agent]: {}, ...agents } });
  const views = await space.inspect({ agent });
  const found = views.map((view) => {
    const namespace = [...parent, ...view.namespace];
    return { ...view, name: formatNamespace(namespace), namespace };
  });
  if (output.json) {
    await output.value({ items: found });
    return exitCodeOf(found);
  }
  const rows = found.map(({ name, recordCount, kind }) => [printable(name), count(output, recordCount), kind]);
  await showTable(output, ['namespace', 'memories', 'kind'], rows);
  if (found.length === 0) output.note(`There are no memories of agent ${printable(agent)} in ${context.path}.`);
  return exitCodeOf(found);
}
