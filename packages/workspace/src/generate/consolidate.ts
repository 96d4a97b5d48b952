import { isMemoryError, MemoryError } from '@keepsake/core';
import { digest } from '@keepsake/internal/node';
import type { Change } from '../files/control-file.ts';
import { NAMES, type Paths } from '../files/layout.ts';
import type { Lease } from '../files/lease.ts';
import type { Ledger } from '../files/ledger.ts';
import { type Queue, readQueue, writeQueue } from '../files/queue.ts';
import type { Workspace, WorkspaceFile } from '../files/workspace.ts';
import { ACTIONS_SCHEMA, consolidationSystem } from '../prompts/consolidation.ts';
import { consolidationTask } from '../prompts/consolidation-task.ts';
import { readSegments } from '../transcript/transcript.ts';
import { readTranscript } from '../transcript/transcript-files.ts';
import { LIVE, rolloutsIn } from './bullets.ts';
import { faultsOfMemory } from './check-memory.ts';
import { aborted, type Meter, NotAsked, tokensOf } from './cost.ts';
import { forgetRollouts } from './forget-rollouts.ts';
import { allowAgain, readForgotten } from './forgotten.ts';
import { joinNotes, LIVE_NOTES, restoreLiveNotes } from './live-notes.ts';
import { notUnderstood } from './read-answer.ts';
import { readObject } from './read-object.ts';
import { Results } from './results.ts';
import { readSelection, type SelectionChange, select, writeSelection } from './selection.ts';
import { Staging } from './staging.ts';

/** The input of phase 2. */
export interface Consolidation {
  readonly workspace: Workspace;
  readonly ledger: Ledger;
  readonly paths: Paths;
  readonly meter: Meter;
  readonly extraPrompt: string | undefined;
  readonly maxRawMemories: number;
  readonly retainRemovedDays: number;
  readonly maxTurns: number;
  readonly maxConsolidationTokens: number;
  readonly maxPromptTokens: number;
  readonly signal: AbortSignal;
}

const MAX_ATTEMPTS = 5;
/** The parts of a prompt for the task with its files, and for the results of actions. The rest is for the system prompt. */
const TASK_SHARE = 0.4;
const RESULTS_SHARE = 0.4;
/** Updates by runs come first. The model then works on the result. */
const MAX_CONFLICTS = 3;

/** Rewrites the memory from the selected notes. Returns whether there was anything to do. */
export async function consolidate(work: Consolidation, lease: Lease): Promise<boolean> {
  const budget = work.meter.total + work.maxConsolidationTokens;
  for (let conflicts = 0; ; ) {
    try {
      return await consolidateOnce(work, lease, budget);
    } catch (error) {
      const isOthers = isMemoryError(error, 'CONFLICT') && !lease.signal.aborted;
      if (!isOthers || ++conflicts === MAX_CONFLICTS) throw error;
    }
  }
}

/** @param budget - What the meter may show at the end. */
async function consolidateOnce(work: Consolidation, lease: Lease, budget: number): Promise<boolean> {
  const { ledger, paths } = work;
  if (!(await isToConsolidate(work))) return false;
  const snapshot = await ledger.snapshot(paths.layout.memoriesDir);
  const before = new Map(Array.from(snapshot, ([path, { text }]) => [paths.nameOf(path), text]));
  const queue = await readQueue(ledger, paths);
  const selection = await readSelection(ledger, paths);
  const options = { max: work.maxRawMemories, retainRemovedDays: work.retainRemovedDays, now: new Date() };
  const transcripts = await readTranscripts(work, queue, select(queue, selection, options).expired);
  const change = select(queue, selection, { ...options, unread: transcripts.unread });
  const isNew = isChanged(change);
  if (!isNew && change.expired.length === 0) return false;

  const staged = stage(before, paths, change);
  if (isNew && change.next.selected.length > 0)
    await attempt(work, lease, change, () => letModelWork(work, staged, change, budget));
  staged.files.delete(NAMES.attempts);
  const expired = new Set(change.expired);
  staged.files.set(NAMES.selection, writeSelection(change.next));
  const left = Object.entries(queue).filter(([id]) => !expired.has(id));
  staged.files.set(NAMES.queue, writeQueue(Object.fromEntries(left)));
  await ledger.commit(async () => {
    const forgotten = await readForgotten(ledger, paths);
    for (const [name, text] of staged.files)
      if (staged.isWritable(name)) staged.files.set(name, forgotten.cutFrom(text));
    const outdated = await allowAgain(ledger, paths, '');
    return [...differences(staged.files, snapshot, paths), ...transcripts.removal, ...outdated];
  }, lease);
  return true;
}

/** Whether the selection has changed, or files have expired. Reads only the two lists. */
export async function isToConsolidate(
  work: Pick<Consolidation, 'ledger' | 'paths' | 'maxRawMemories' | 'retainRemovedDays'>,
): Promise<boolean> {
  const { ledger, paths, maxRawMemories: max, retainRemovedDays } = work;
  const queue = await readQueue(ledger, paths);
  const change = select(queue, await readSelection(ledger, paths), { max, retainRemovedDays, now: new Date() });
  return isChanged(change) || change.expired.length > 0;
}

function isChanged({ added, updated, removed }: SelectionChange): boolean {
  return added.length + updated.length + removed.length > 0;
}

/** How to remove transcripts, and which of them have content that is not extracted. */
async function readTranscripts({ workspace, paths }: Consolidation, queue: Queue, ids: readonly string[]) {
  const removal: Change[] = [];
  const unread = new Set<string>();
  for (const id of ids) {
    const transcript = await readTranscript(workspace, paths, id);
    if (transcript === undefined) continue;
    if (readSegments(transcript.text, queue[id]?.cursor ?? 0).segments.length > 0) unread.add(id);
    else removal.push(...transcript.removal);
  }
  return { removal, unread };
}

/** The copy for the model, without bullets of removed conversations and without files to delete. */
function stage(before: ReadonlyMap<string, string>, paths: Paths, change: SelectionChange): Staging {
  const files = forgetRollouts(before, paths.layout, new Set([...change.removed, ...change.expired]));
  for (const id of change.expired) {
    for (const path of files.keys()) if (belongsTo(path, id)) files.delete(path);
  }
  const ids = change.next.selected.map(({ id }) => id);
  files.set(NAMES.rawMemories, joinNotes(files, ids));
  return new Staging(files, paths.layout);
}

/** Whether a file is the notes of a conversation. */
export function belongsTo(path: string, id: string): boolean {
  return path === NAMES.rawMemory(id) || path.startsWith(`${NAMES.rolloutSummaries}/${id}_`);
}

interface Attempts {
  /** Identifies the change that failed, and the options. */
  readonly of: string;
  readonly attempts: number;
}

/**
 * Counts failed attempts, since each costs a whole budget.
 *
 * @throws MemoryError `BACKEND` without an attempt if there were too many, until the conversations or the options change.
 */
async function attempt(
  { ledger, paths, maxTurns, maxConsolidationTokens, maxPromptTokens, extraPrompt = '' }: Consolidation,
  lease: Lease,
  { next }: SelectionChange,
  work: () => Promise<void>,
): Promise<void> {
  const path = paths.memory(NAMES.attempts);
  const limits = [maxTurns, maxConsolidationTokens, maxPromptTokens, extraPrompt];
  const of = digest(JSON.stringify([next.selected, next.removed.map(({ id }) => id), limits]), 32);
  const read = async () => {
    const file = await ledger.read(path);
    const isWhole = ({ attempts }: Record<string, unknown>) => typeof attempts === 'number';
    const before = file && readObject<Attempts>(path, file.text, isWhole);
    return { base: file?.version ?? null, attempts: before?.of === of ? before.attempts : 0 };
  };
  if ((await read()).attempts >= MAX_ATTEMPTS) {
    const what = `Consolidation failed ${MAX_ATTEMPTS} times.`;
    throw new MemoryError(
      'BACKEND',
      `${what} It is tried again when a conversation is added or continues, or with other limits.`,
    );
  }
  try {
    await work();
  } catch (error) {
    const isTried = !(error instanceof NotAsked) && !isMemoryError(error, 'ABORTED') && !lease.signal.aborted;
    if (isTried) {
      await ledger.commit(async () => {
        const { base, attempts } = await read();
        const text = `${JSON.stringify({ of, attempts: attempts + 1 } satisfies Attempts)}\n`;
        return [{ path, base, text }];
      }, lease);
    }
    throw error;
  }
}

async function letModelWork(
  work: Consolidation,
  staging: Staging,
  change: SelectionChange,
  budget: number,
): Promise<void> {
  const { layout } = work.paths;
  const system = consolidationSystem(layout, work.extraPrompt);
  const maxTokens = Math.min(work.maxPromptTokens, work.maxConsolidationTokens);
  const task = consolidationTask(staging.files, layout, change, maxTokens * TASK_SHARE);
  // A current run may have added a bullet, so existing ids are allowed.
  const names = [layout.memoryFile, layout.summaryFile, LIVE_NOTES];
  const there = names.flatMap((name) => rolloutsIn(staging.files.get(name) ?? ''));
  const rollouts = new Set([LIVE, ...there, ...change.next.selected.map(({ id }) => id)]);
  const results = new Results(maxTokens * RESULTS_SHARE);
  for (let turn = 1; turn <= work.maxTurns; turn++) {
    if (work.signal.aborted) throw aborted();
    const left = `About ${Math.max(0, budget - work.meter.total)} tokens are left for all answers.`;
    const prompt = [task, results.text, `This is answer ${turn} of at most ${work.maxTurns}. ${left}`].join('\n\n');
    if (work.meter.total + tokensOf(system, prompt) > budget) throw overBudget(work.maxConsolidationTokens);
    const { actions, done } = await work.meter.ask({ system, prompt, schema: ACTIONS_SCHEMA }, work.signal);
    if (!Array.isArray(actions)) throw notUnderstood('there is no list of actions');
    results.act(staging, actions, turn);
    if (done !== true) continue;
    const faults = faultsOfMemory({ files: staging.files, layout, rollouts });
    if (faults.length === 0) return restoreLiveNotes(staging.files, layout);
    results.add(`It can't be kept yet:\n${faults.join('\n')}`);
  }
  const turns = `Consolidation found no valid memory in ${work.maxTurns} turns.`;
  throw new MemoryError('BACKEND', `${turns} Nothing was changed. Raise maxTurns or use another model.`);
}

function overBudget(maxTokens: number): MemoryError {
  const what = `Consolidation would exceed maxConsolidationTokens (${maxTokens}).`;
  return new MemoryError('TOO_LARGE', `${what} Nothing was changed. Raise it or use another model.`);
}

/** The changes that turn one state of a folder into another. */
export function differences(
  files: ReadonlyMap<string, string>,
  snapshot: ReadonlyMap<string, WorkspaceFile>,
  paths: Paths,
): Change[] {
  const changes: Change[] = [];
  for (const [name, text] of files) {
    const path = paths.memory(name);
    const file = snapshot.get(path);
    if (file?.text !== text) changes.push({ path, base: file?.version ?? null, text });
  }
  for (const [path, { version }] of snapshot) {
    if (!files.has(paths.nameOf(path))) changes.push({ path, base: version, text: null });
  }
  return changes;
}
