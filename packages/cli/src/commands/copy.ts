import { resolve } from 'node:path';
import type { RecordStore, SessionStore } from '@keepsake/core';
import { Context, readNamespace, type Settings } from '../context.ts';
import { compareRecords, compareSessions } from '../copy/compare.ts';
import type { Comparison, CopyJob, CopyTally } from '../copy/copy-job.ts';
import { copyRecords } from '../copy/copy-records.ts';
import { copySessions } from '../copy/copy-sessions.ts';
import { SetDigest } from '../copy/digests.ts';
import { forEachPlace } from '../copy/record-places.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { usageFailure } from '../failure.ts';
import { listenForInterrupt } from '../interrupt.ts';
import type { Backend } from '../open/backend.ts';
import { type BackendSettings, openBackend } from '../open/open-backend.ts';
import { count, countOf, type Output } from '../output/output.ts';
import { printable } from '../output/printable.ts';
import { Progress } from '../output/progress.ts';
import { pathOf, type Surroundings } from '../surroundings.ts';

/** How many differences are printed. */
const MAX_DIFFERENCES = 10;

interface Options extends Settings {
  readonly from: string;
  readonly to: string;
}

/** The two ends of a copy. */
interface Ends<End> {
  readonly from: End;
  readonly to: End;
}

/** What is copied. */
interface Parts {
  readonly stores: Ends<RecordStore>;
  /** `undefined` if there are none to copy. */
  readonly sessions: Ends<SessionStore> | undefined;
}

export async function run(
  { from, to, namespace = '', json = false }: Options,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const [source, target] = [from, to].map((path) => resolve(pathOf(surroundings, path)));
  if (source === target) throw usageFailure('--from and --to are the same.');
  const at = readNamespace(namespace);
  const ends = {
    from: new Context(await openPlace(from, '--from', false, surroundings), at, json, surroundings),
    to: new Context(await openPlace(to, '--to', true, surroundings), at, json, surroundings),
  };
  try {
    return await copyAndCompare(await openParts(ends), ends.from);
  } finally {
    await Promise.all([ends.from.close(), ends.to.close()]);
    ends.from.warnOfDamage();
  }
}

async function openParts({ from, to }: Ends<Context>): Promise<Parts> {
  const stores = { from: await from.openStore(), to: await to.openStore() };
  return { stores, sessions: await openSessions(from, to) };
}

/** Opens the sessions. They are in no namespace, so a copy of one leaves them out. */
async function openSessions(from: Context, to: Context): Promise<Parts['sessions']> {
  if (from.namespace.length > 0 || from.backend.configuration.sessions === undefined) return undefined;
  const sessions = await from.openSessions();
  const { items } = await sessions.list({ limit: 1 });
  return items.length === 0 ? undefined : { from: sessions, to: await to.openSessions() };
}

async function copyAndCompare(parts: Parts, { output, surroundings }: Context): Promise<ExitCode> {
  const { signal, stopListening } = listenForInterrupt(surroundings);
  const progress = new Progress(output.json ? undefined : output.stderr, undefined, 'copied');
  const [records, sessions] = [newTally(), newTally()];
  const onStep = () => progress.show(0, records.copied + sessions.copied);
  try {
    await copy(parts, { signal, records, sessions, onStep });
  } finally {
    stopListening();
    progress.clear();
    if (!output.json) await output.line(describe(output, records, sessions));
  }
  const comparison = await compare(parts);
  if (output.json) await output.value({ records, sessions, verified: comparison });
  else await showComparison(output, comparison);
  return comparison.differences.length > 0 ? EXIT.failed : EXIT.fine;
}

async function copy({ stores, sessions }: Parts, job: CopyJob): Promise<void> {
  await forEachPlace(stores.from, stores.to, (place) => copyRecords(place, job));
  if (sessions !== undefined) await copySessions(sessions.from, sessions.to, job);
}

/** Reads everything again, at both ends. */
async function compare({ stores, sessions }: Parts): Promise<Comparison & { readonly digest: string }> {
  const comparison: Comparison = { records: 0, sessions: 0, items: 0, differences: [] };
  const same = new SetDigest();
  await forEachPlace(stores.from, stores.to, (place) => compareRecords(place, comparison, same));
  if (sessions !== undefined) await compareSessions(sessions.from, sessions.to, comparison, same);
  return { ...comparison, digest: same.hex };
}

function newTally(): CopyTally {
  return { copied: 0, alreadyThere: 0 };
}

function describe(output: Output, records: CopyTally, sessions: CopyTally): string {
  const copied = [
    countOf(output, records.copied, 'memory', 'memories'),
    countOf(output, sessions.copied, 'session'),
  ].join(' and ');
  const alreadyThere = [
    countOf(output, records.alreadyThere, 'memory', 'memories'),
    countOf(output, sessions.alreadyThere, 'session'),
  ].join(' and ');
  return `Copied ${copied}. Already there: ${alreadyThere}.`;
}

async function showComparison(output: Output, comparison: Comparison & { readonly digest: string }): Promise<void> {
  const { records, sessions, items, differences, digest } = comparison;
  const same = [
    countOf(output, records, 'memory', 'memories'),
    countOf(output, sessions, 'session'),
    countOf(output, items, 'item'),
  ].join(', ');
  await output.line(`Verified: ${same}. Digest: ${digest.slice(0, 16)}.`);
  for (const difference of differences.slice(0, MAX_DIFFERENCES)) output.note(`Not the same: ${printable(difference)}`);
  const more = differences.length - MAX_DIFFERENCES;
  if (more > 0) output.note(`Not the same: ${count(output, more)} more`);
  if (differences.length > 0) output.note('They were changed at the destination, or during the copy. Run it again.');
}

/** Opens what a path names: a configuration, an SQLite file or a directory with Keepsake's files. */
async function openPlace(
  path: string,
  option: string,
  mayCreate: boolean,
  surroundings: Surroundings,
): Promise<Backend> {
  if (path === '') throw usageFailure(`${option} must be a configuration, an SQLite file or a directory.`);
  const backend = await openBackend(placeSettings(path), mayCreate, surroundings);
  backend.expectExists?.();
  return backend;
}

function placeSettings(path: string): BackendSettings {
  if (/\.[cm]?[jt]s$/.test(path)) return { config: path };
  if (/\.(?:db|sqlite3?)$/.test(path)) return { sqlite: path };
  return { directory: path };
}
