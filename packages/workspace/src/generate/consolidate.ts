import { isMemoryError, MemoryError } from '@keepsake/core';
import { NAMES, type Paths } from '../files/layout.ts';
import type { Change, Lease, Ledger } from '../files/ledger.ts';
import { type Queue, readQueue, writeQueue } from '../files/queue.ts';
import type { Workspace, WorkspaceFile } from '../files/workspace.ts';
import { ACTIONS_SCHEMA, consolidationSystem } from '../prompts/consolidation.ts';
import { consolidationTask } from '../prompts/consolidation-task.ts';
import { readSegments } from '../transcript/transcript.ts';
import { LIVE, rolloutsIn } from './bullets.ts';
import { faultsOfMemory } from './check-memory.ts';
import { aborted, type Meter } from './cost.ts';
import { forgetRollouts } from './forget-rollouts.ts';
import { notUnderstood } from './read-answer.ts';
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
  readonly signal: AbortSignal;
}

/** Updates by runs come first. The model then works on the result. */
const MAX_CONFLICTS = 3;

/** Rewrites the memory from the selected notes. Returns whether there was anything to do. */
export async function consolidate(work: Consolidation, lease: Lease): Promise<boolean> {
  for (let conflicts = 0; ; ) {
    try {
      return await consolidateOnce(work, lease);
    } catch (error) {
      const isOthers = isMemoryError(error, 'CONFLICT') && !lease.signal.aborted;
      if (!isOthers || ++conflicts === MAX_CONFLICTS) throw error;
    }
  }
}

async function consolidateOnce(work: Consolidation, lease: Lease): Promise<boolean> {
  const { ledger, paths } = work;
  const snapshot = await ledger.snapshot(paths.layout.memoriesDir);
  const before = new Map(Array.from(snapshot, ([path, { text }]) => [paths.nameOf(path), text]));
  const queue = await readQueue(ledger, paths);
  const selection = await readSelection(ledger, paths);
  const options = { max: work.maxRawMemories, retainRemovedDays: work.retainRemovedDays, now: new Date() };
  const transcripts = await readTranscripts(work, queue, select(queue, selection, options).expired);
  const change = select(queue, selection, { ...options, unread: transcripts.unread });
  const isNew = change.added.length + change.updated.length + change.removed.length > 0;
  if (!isNew && change.expired.length === 0) return false;

  const staged = stage(before, paths, change);
  if (isNew && change.next.selected.length > 0) await letModelWork(work, staged, change);
  const expired = new Set(change.expired);
  staged.files.set(NAMES.selection, writeSelection(change.next));
  const left = Object.entries(queue).filter(([id]) => !expired.has(id));
  staged.files.set(NAMES.queue, writeQueue(Object.fromEntries(left)));
  await ledger.commit(
    async () => [
      ...differences(staged.files, snapshot, paths),
      ...change.expired.flatMap((id) => removal(paths.session(id), transcripts.versions.get(id))),
    ],
    lease,
  );
  return true;
}

/** The versions of transcripts, and which of them have content that is not extracted. */
async function readTranscripts({ workspace, paths }: Consolidation, queue: Queue, ids: readonly string[]) {
  const versions = new Map<string, string>();
  const unread = new Set<string>();
  for (const id of ids) {
    const file = await workspace.read(paths.session(id));
    if (file === undefined) continue;
    versions.set(id, file.version);
    if (readSegments(file.text, queue[id]?.cursor ?? 0).segments.length > 0) unread.add(id);
  }
  return { versions, unread };
}

/** The version that was read: a transcript that has grown since stays. */
export function removal(path: string, version: string | undefined): Change[] {
  return version === undefined ? [] : [{ path, base: version, text: null }];
}

/** The copy for the model, without bullets of removed conversations and without files to delete. */
function stage(before: ReadonlyMap<string, string>, paths: Paths, change: SelectionChange): Staging {
  const files = forgetRollouts(before, paths.layout, new Set([...change.removed, ...change.expired]));
  for (const id of change.expired) {
    for (const path of files.keys()) if (belongsTo(path, id)) files.delete(path);
  }
  const raw = change.next.selected.map(({ id }) => files.get(NAMES.rawMemory(id)) ?? '');
  files.set(NAMES.rawMemories, raw.join('\n'));
  return new Staging(files, paths.layout);
}

/** Whether a file is the notes of a conversation. */
export function belongsTo(path: string, id: string): boolean {
  return path === NAMES.rawMemory(id) || path.startsWith(`${NAMES.rolloutSummaries}/${id}_`);
}

async function letModelWork(work: Consolidation, staging: Staging, change: SelectionChange): Promise<void> {
  const { layout } = work.paths;
  const system = consolidationSystem(layout, work.extraPrompt);
  const task = consolidationTask(staging.files, layout, change);
  // A current run may have added a bullet, so existing ids are allowed.
  const there = [layout.memoryFile, layout.summaryFile].flatMap((name) => rolloutsIn(staging.files.get(name) ?? ''));
  const rollouts = new Set([LIVE, ...there, ...change.next.selected.map(({ id }) => id)]);
  const results: string[] = [];
  for (let turn = 1; turn <= work.maxTurns; turn++) {
    if (work.signal.aborted) throw aborted();
    const left = `This is answer ${turn} of at most ${work.maxTurns}.`;
    const prompt = [task, ...results, left].join('\n\n');
    const { actions, done } = await work.meter.ask(system, prompt, ACTIONS_SCHEMA, work.signal);
    if (!Array.isArray(actions)) throw notUnderstood('there is no list of actions');
    results.push(await actAll(staging, actions, turn));
    if (done !== true) continue;
    const faults = faultsOfMemory({ files: staging.files, layout, rollouts });
    if (faults.length === 0) return;
    results.push(`<results>\nIt can't be kept yet:\n${faults.join('\n')}\n</results>`);
  }
  const turns = `Consolidation found no valid memory in ${work.maxTurns} turns.`;
  throw new MemoryError('BACKEND', `${turns} Nothing was changed. Raise maxTurns or use another model.`);
}

const MAX_ACTIONS = 40;

async function actAll(staging: Staging, actions: readonly unknown[], turn: number): Promise<string> {
  const results: string[] = [];
  for (const [index, action] of actions.slice(0, MAX_ACTIONS).entries()) {
    const { tool, path } = (action ?? {}) as { tool?: unknown; path?: unknown };
    const what = [tool, path].filter((part) => typeof part === 'string').join(' ');
    results.push(`${turn}.${index + 1} ${what.slice(0, 200)}\n${await staging.act(action)}`);
  }
  if (actions.length > MAX_ACTIONS) results.push(`Only ${MAX_ACTIONS} actions are done at once; the others were not.`);
  return `<results>\n${results.join('\n')}\n</results>`;
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
