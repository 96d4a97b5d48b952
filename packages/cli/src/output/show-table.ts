import stringWidth from 'fast-string-width';
import type { Output } from './output.ts';
import { shortened } from './shortened.ts';
import { dim } from './style.ts';

/** The least columns that a shortened cell keeps, for a prefix of an id. */
const MIN_COLUMNS = 14;
const GAP = '  ';

/**
 * Prints rows: on a terminal as aligned columns with titles, of which the widest are shortened until they fit, otherwise
 * separated by tabs, without titles.
 */
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
  const all = [titles.map((title) => dim(title, output.stdout)), ...rows];
  const widths = fitted(
    titles.map((_, column) => all.reduce((width, row) => Math.max(width, stringWidth(row[column] ?? '')), 0)),
    output.columns - GAP.length * (titles.length - 1),
  );
  for (const row of all) {
    const cells = row.map((cell, column) => padded(cell, widths[column] ?? 0));
    await output.line(cells.join(GAP).trimEnd());
  }
}

/** The widths with the widest made narrower until all fit. */
function fitted(widths: readonly number[], columns: number): number[] {
  const narrower = [...widths];
  for (let over = narrower.reduce((sum, width) => sum + width, 0) - columns; over > 0; over--) {
    const widest = Math.max(...narrower);
    if (widest <= MIN_COLUMNS) break;
    narrower[narrower.lastIndexOf(widest)] = widest - 1;
  }
  return narrower;
}

/** A cell in exactly this width. */
function padded(cell: string, width: number): string {
  const text = shortened(cell, width);
  return text + ' '.repeat(Math.max(width - stringWidth(text), 0));
}
