import stringWidth from 'fast-string-width';
import type { Output } from './output.ts';
import { dim } from './style.ts';

/** Prints rows: on a terminal as aligned columns with titles, otherwise separated by tabs, without titles. */
export async function showTable(
  output: Output,
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<void> {
  if (!output.isTerminal) {
    for (const row of rows) await output.fields(...row);
    return;
  }
  if (rows.length === 0) return;
  const all = [titles.map((title) => dim(title)), ...rows];
  const widths = titles.map((_, column) => Math.max(...all.map((row) => stringWidth(row[column] ?? ''))));
  for (const row of all) {
    const cells = row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - stringWidth(cell)));
    await output.line(cells.join('  ').trimEnd());
  }
}
