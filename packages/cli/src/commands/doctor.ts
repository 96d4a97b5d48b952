import { existsSync } from 'node:fs';
import { formatNamespace } from '@keepsake/core';
import { checkDirectory, type FolderReport, type Problem } from '@keepsake/file';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { usageFailure } from '../failure.ts';
import { count, countOf, type Output } from '../output/output.ts';
import { printable } from '../output/printable.ts';
import { bold, green, red, yellow } from '../output/style.ts';
import { pathOf } from '../surroundings.ts';

/** What to do for another backend. */
const INSTEAD = {
  sqlite: 'To check an SQLite file, run PRAGMA integrity_check on it.',
  configuration: 'Pass --directory. Check any other backend with its own tools.',
};

/** The totals of all folders. */
interface Totals {
  sessions: number;
  items: number;
  namespaces: number;
  records: number;
  bytes: number;
}

export async function run(
  { output, backend, surroundings }: Context,
  _: readonly string[],
  { repair = false }: { readonly repair?: boolean },
): Promise<ExitCode> {
  const { kind, path } = backend;
  if (kind !== 'files') throw usageFailure(`doctor checks directories. ${INSTEAD[kind]}`);
  const directory = pathOf(surroundings, path);
  if (!existsSync(directory)) {
    if (output.json) await output.value({ ...noTotals(), problems: [] });
    output.note(`There is no directory ${path}.`);
    return EXIT.nothing;
  }
  const totals = noTotals();
  const problems: (Problem & { readonly report: FolderReport })[] = [];
  for await (const report of checkDirectory({ directory, repair })) {
    addTo(totals, report);
    for (const problem of report.problems) {
      problems.push({ ...problem, report });
      if (!output.json) await showProblem(output, report, problem);
    }
  }
  if (output.json) await output.value({ ...totals, problems: problems.map(asJson) });
  else await output.line(`${describeTotals(output, totals)}\n${verdict(output, problems)}`);
  return problems.every(({ repaired }) => repaired) ? EXIT.fine : EXIT.failed;
}

function noTotals(): Totals {
  return { sessions: 0, items: 0, namespaces: 0, records: 0, bytes: 0 };
}

function addTo(totals: Totals, { kind, of, entries, bytes }: FolderReport): void {
  totals.bytes += bytes;
  // Folders that were removed, or whose owner is unknown, are not counted.
  if (of === undefined) return;
  totals[kind === 'session' ? 'sessions' : 'namespaces']++;
  totals[kind === 'session' ? 'items' : 'records'] += entries;
}

async function showProblem(output: Output, { kind, of, folder }: FolderReport, problem: Problem): Promise<void> {
  const { message, repaired, repairable } = problem;
  const state = repaired ? 'repaired' : repairable ? 'repairable' : 'damaged';
  const whose = printable(of === undefined ? '' : nameOf(of));
  if (!output.isTerminal) return output.fields(state, kind, whose, folder, printable(message));
  const colour = repaired ? green : repairable ? yellow : red;
  await output.line(
    `${colour(state, output.stdout)}  ${kind} ${bold(whose || folder, output.stdout)}: ${printable(message)}`,
  );
}

function nameOf(of: string | readonly string[]): string {
  return typeof of === 'string' ? of : formatNamespace(of) || '(root)';
}

function asJson({ report, ...problem }: Problem & { readonly report: FolderReport }) {
  const { folder, kind: folderKind, of } = report;
  return { ...problem, folder, folderKind, of: of ?? null };
}

function describeTotals(output: Output, { sessions, items, namespaces, records, bytes }: Totals): string {
  return [
    `${countOf(output, sessions, 'session')} with ${countOf(output, items, 'item')}`,
    `${countOf(output, namespaces, 'namespace')} with ${countOf(output, records, 'memory', 'memories')}`,
    output.isTerminal ? formatBytes(bytes) : countOf(output, bytes, 'byte'),
  ].join(', ');
}

const compactBytes = new Intl.NumberFormat('en', {
  notation: 'compact',
  style: 'unit',
  unit: 'byte',
  unitDisplay: 'narrow',
});

/** Formats a size such as `2.2 KB`. */
function formatBytes(bytes: number): string {
  return compactBytes.format(bytes).replace(/(?=[KMGT]?B$)/, ' ');
}

function verdict(output: Output, problems: readonly Problem[]): string {
  if (problems.length === 0) return green('No problems found.', output.stdout);
  const open = problems.filter(({ repaired }) => !repaired);
  const repairable = open.filter((problem) => problem.repairable).length;
  const repaired = problems.length - open.length;
  const parts = [countOf(output, problems.length, 'problem')];
  if (repaired > 0) parts.push(`${count(output, repaired)} repaired`);
  if (repairable > 0) parts.push(`${count(output, repairable)} can be repaired: run keepsake doctor --repair`);
  else if (open.length > 0) parts.push(`${count(output, open.length)} cannot be repaired automatically`);
  return `${parts.join(', ')}.`;
}
