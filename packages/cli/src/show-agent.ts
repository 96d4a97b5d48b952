import { formatNamespace } from '@keepsake/core';
import type { Context } from './context.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { openSpace } from './open-space.ts';
import { count } from './output.ts';
import { printable } from './printable.ts';
import { showTable } from './show-table.ts';

/** The namespaces of an agent, with what each of them is. */
export async function showAgent(context: Context, agent: string): Promise<ExitCode> {
  const { output, namespace: above } = context;
  await using space = openSpace(context, { [agent]: {} });
  const found = (await space.inspect({ agent })).map((view) => {
    const namespace = [...above, ...view.namespace];
    return { ...view, name: formatNamespace(namespace), namespace };
  });
  if (output.json) {
    await output.value({ items: found });
    return EXIT.fine;
  }
  const rows = found.map(({ name, recordCount, kind }) => [printable(name), count(output, recordCount), kind]);
  await showTable(output, ['namespace', 'memories', 'kind'], rows);
  if (found.length === 0) output.note(`Nothing is remembered of agent ${printable(agent)} in ${context.directory}.`);
  return EXIT.fine;
}
