import type { Figure, Row, Target } from './row.ts';

/** Writes rows as a Markdown table that is also readable as text. */
export function table(rows: readonly Row[]): string {
  const peers = [...new Set(rows.flatMap((row) => Object.keys(row.peers ?? {})))];
  const head = ['measure', 'raw limit', 'Keepsake', 'ratio', 'target', 'met', ...peers];
  return grid(
    head,
    rows.map((row) => cells(row, peers)),
  );
}

/** Writes lines of cells under a header as such a table. */
export function grid(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...lines.map((line) => line[column]?.length ?? 0)),
  );
  const write = (line: readonly string[]) =>
    `| ${line.map((cell, column) => cell.padEnd(widths[column] as number)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [write(head), rule, ...lines.map(write)].join('\n');
}

function cells({ measure, raw, keepsake, ratio, target, met, peers = {} }: Row, columns: readonly string[]): string[] {
  return [
    measure,
    describe(raw),
    describe(keepsake),
    ratio ? `${digits(ratio.value)}${around(ratio.spread)}` : '',
    target ? describeTarget(target) : '',
    met === undefined ? '' : met ? 'yes' : 'no',
    ...columns.map((column) => describe(peers[column])),
  ];
}

function describe(figure: Figure | undefined): string {
  if (figure === undefined) return '';
  const { value, unit, spread, note } = figure;
  return note ?? `${amount(value, unit)}${around(spread)}`;
}

/** A value with its unit. */
export function amount(value: number, unit: Figure['unit']): string {
  switch (unit) {
    case 'µs':
      if (value < 1_000) return `${digits(value)} µs`;
      return value < 1_000_000 ? `${digits(value / 1_000)} ms` : `${digits(value / 1_000_000)} s`;
    case 'bytes':
      if (value < 1_000) return `${digits(value)} B`;
      return value < 1_000_000 ? `${digits(value / 1_000)} kB` : `${digits(value / 1_000_000)} MB`;
    case 'tokens':
      return `${Math.round(value).toLocaleString('en')} tokens`;
    case '/s':
      return `${digits(value)} /s`;
    case 'times':
      return `× ${digits(value)}`;
    case 'faults':
      return value === 0 ? 'none' : String(value);
  }
}

/** Rounds to the significant digits. */
export function digits(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value >= 0.1 ? value.toPrecision(3) : value.toPrecision(2);
}

function around(spread: number | undefined): string {
  return spread === undefined ? '' : ` ${plusMinus(spread)}`;
}

/** A spread as a percentage. */
export function plusMinus(spread: number): string {
  return `±${Math.round(spread * 100)} %`;
}

function describeTarget(target: Target): string {
  const [sign, value] = 'atLeast' in target ? ['≥', target.atLeast] : ['≤', target.atMost];
  return `${sign} ${value.toLocaleString('en')}${target.unit === undefined ? '' : ` ${target.unit}`}`;
}
