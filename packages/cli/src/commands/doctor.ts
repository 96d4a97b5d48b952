import { existsSync } from 'node:fs';
import { formatNamespace } from '@keepsake/core';
import { checkDirectory, type FolderReport, type Problem } from '@keepsake/file';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { count, type Output } from '../output.ts';
import { printable } from '../printable.ts';
import { bold, green, red, yellow } from '../style.ts';

/** What the folders hold together. */
interface Totals {
  sessions: number;
  items: number;
  namespaces: number;
  records: number;
  bytes: number;
}

export async function run(
  context: Context,
  _: readonly string[],
  { mend = false }: { readonly mend?: boolean },
): Promise<ExitCode> {
  const { output, directory } = context;
  if (!existsSync(directory)) {
    if (output.json) await output.value({ ...noTotals(), problems: [] });
    output.note(`There is no directory ${directory}.`);
    return EXIT.nothing;
  }
  const totals = noTotals();
  const problems: (Problem & { readonly report: FolderReport })[] = [];
  for await (const report of checkDirectory({ directory, mend })) {
    addTo(totals, report);
    for (const problem of report.problems) {
      problems.push({ ...problem, report });
      if (!output.json) await showProblem(output, report, problem);
    }
  }
  if (output.json) await output.value({ ...totals, problems: problems.map(asJson) });
  else await output.line(`${describeTotals(output, totals)}\n${verdict(output, problems)}`);
  return problems.every(({ mended }) => mended) ? EXIT.fine : EXIT.failed;
}

function noTotals(): Totals {
  return { sessions: 0, items: 0, namespaces: 0, records: 0, bytes: 0 };
}

function addTo(totals: Totals, { kind, of, entries, bytes }: FolderReport): void {
  totals.bytes += bytes;
  // What was removed, or does not say whose it is.
  if (of === undefined) return;
  totals[kind === 'session' ? 'sessions' : 'namespaces']++;
  totals[kind === 'session' ? 'items' : 'records'] += entries;
}

async function showProblem(output: Output, { kind, of, folder }: FolderReport, problem: Problem): Promise<void> {
  const { message, mended, mendable } = problem;
  const state = mended ? 'mended' : mendable ? 'mendable' : 'damaged';
  const whose = printable(of === undefined ? '' : nameOf(of));
  if (!output.isTerminal) return output.fields(state, kind, whose, folder, printable(message));
  const colour = mended ? green : mendable ? yellow : red;
  await output.line(`${colour(state)}  ${kind} ${bold(whose || folder)}: ${printable(message)}`);
}

function nameOf(of: string | readonly string[]): string {
  return typeof of === 'string' ? of : formatNamespace(of) || '(root)';
}

function asJson({ report, ...problem }: Problem & { readonly report: FolderReport }) {
  const { folder, kind: folderKind, of } = report;
  return { ...problem, folder, folderKind, of: of ?? null };
}

function describeTotals(output: Output, { sessions, items, namespaces, records, bytes }: Totals): string {
  const of = (number: number, one: string, many: string) => `${count(output, number)} ${number === 1 ? one : many}`;
  return [
    `${of(sessions, 'session', 'sessions')} with ${of(items, 'item', 'items')}`,
    `${of(namespaces, 'namespace', 'namespaces')} with ${of(records, 'memory', 'memories')}`,
    output.isTerminal ? formatBytes(bytes) : `${bytes} bytes`,
  ].join(', ');
}

const formatBytes = new Intl.NumberFormat('en', {
  notation: 'compact',
  style: 'unit',
  unit: 'byte',
  unitDisplay: 'narrow',
}).format;

function verdict(output: Output, problems: readonly Problem[]): string {
  if (problems.length === 0) return green('All is sound.');
  const open = problems.filter(({ mended }) => !mended);
  const mendable = open.filter((problem) => problem.mendable).length;
  const mended = problems.length - open.length;
  const parts = [`${count(output, problems.length)} ${problems.length === 1 ? 'problem' : 'problems'}`];
  if (mended > 0) parts.push(`${count(output, mended)} mended`);
  if (mendable > 0) parts.push(`${count(output, mendable)} can be mended: run keepsake doctor --mend`);
  else if (open.length > 0) parts.push(`${count(output, open.length)} can't be mended here`);
  return `${parts.join(', ')}.`;
}
