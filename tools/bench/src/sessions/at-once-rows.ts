import { Child } from '../child.ts';
import type { Figure, Row } from '../row.ts';
import { type Burst, findFaults } from './at-once.ts';
import { shown } from './compared.ts';
import type { Histories } from './histories.ts';
import type { Scale } from './scale.ts';
import { type Field, kindsOf, type SessionKind } from './session-kind.ts';

/** Appends many turns concurrently to one session, from one process and from several, and counts errors. */
export async function atOnceRows(field: Field, histories: Histories, { atOnce, processes }: Scale): Promise<Row[]> {
  const rows: Row[] = [];
  for (const count of [1, processes]) {
    const figures = new Map<SessionKind, Figure>();
    for (const kind of kindsOf(field)) figures.set(kind, await faultsOf(kind, histories.empty(), atOnce, count));
    const where = count === 1 ? 'by one process' : `by each of ${count} processes`;
    rows.push({
      measure: `file, ${atOnce} concurrent appends ${where}`,
      ...shown(field, (kind) => figures.get(kind) as Figure),
      target: { atMost: 0 },
      met: figures.get(field.keepsake)?.value === 0,
    });
  }
  return rows;
}

async function faultsOf(kind: SessionKind, directory: string, atOnce: number, processes: number): Promise<Figure> {
  const children = Array.from({ length: processes }, () => new Child<Burst | 'go'>('append-at-once'));
  try {
    const ready = children.map((child, index) =>
      child.ask({ kind: kind.name, directory, from: index * atOnce, count: atOnce }),
    );
    await Promise.all(ready);
    const failed = await Promise.all(children.map((child) => child.ask<number>('go')));
    const failures = failed.reduce((sum, count) => sum + count, 0);
    const { lost, split } = await findFaults(kind, directory, processes * atOnce);
    const note = `${lost} lost, ${split} split, ${failures} failed`;
    const value = lost + split + failures;
    return { name: kind.name, unit: 'faults', value, ...(value > 0 ? { note } : {}) };
  } finally {
    for (const child of children) await child.end();
  }
}
