import { isMemoryError, MemoryError } from '@keepsake/core';
import type { Change } from '../files/control-file.ts';
import { type Layout, NAMES, type Paths } from '../files/layout.ts';
import type { Ledger } from '../files/ledger.ts';
import { readQueue, writeQueue } from '../files/queue.ts';
import type { Workspace } from '../files/workspace.ts';
import { isBelow } from '../files/workspace-path.ts';
import { idsOfSessions, maskTranscript } from '../transcript/transcript-files.ts';
import { readBlocks } from './bullets.ts';
import { differences } from './consolidate.ts';
import { Forgotten, lettersIn, noteForgotten } from './forgotten.ts';
import { joinNotes, LIVE_NOTES } from './live-notes.ts';
import { readSelection } from './selection.ts';

const MIN_LETTERS = 3;
/** Words in more bullets than this are hardly the ones to forget. */
const MAX_BULLETS = 10;
/** How many times to try while conversations continue. */
const MAX_TRIES = 100;

/**
 * Removes words from all files of a memory: the bullets and sentences that contain them, and the words themselves from
 * transcripts.
 *
 * @throws MemoryError `INVALID_ARGUMENT` if they stand in too much.
 */
export async function forgetWords(workspace: Workspace, ledger: Ledger, paths: Paths, words: string): Promise<void> {
  if (lettersIn(words) < MIN_LETTERS) {
    throw refusal(`Pass the words to forget, with at least ${MIN_LETTERS} letters, such as a name or an address.`);
  }
  const forgotten = Forgotten.words(words);
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    try {
      await ledger.commit(async () => {
        const changes = await cutFromMemory(ledger, paths, forgotten);
        const transcripts = await maskTranscripts(workspace, paths, forgotten);
        return [...changes, ...transcripts, await noteForgotten(ledger, paths, words)];
      });
    } catch (error) {
      // A transcript has grown.
      if (!isMemoryError(error, 'CONFLICT')) throw error;
      continue;
    }
    if ((await maskTranscripts(workspace, paths, forgotten)).length === 0) return;
  }
  throw new MemoryError('TIMEOUT', 'The conversations keep growing. Try again when they are idle.');
}

async function cutFromMemory(ledger: Ledger, paths: Paths, forgotten: Forgotten) {
  const { layout } = paths;
  const snapshot = await ledger.snapshot(layout.memoriesDir);
  const files = new Map(Array.from(snapshot, ([path, { text }]) => [paths.nameOf(path), text]));
  const bullets = readBlocks(files.get(layout.memoryFile) ?? '').filter(({ text }) => forgotten.isIn(text));
  if (bullets.length > MAX_BULLETS) {
    throw refusal(
      `The words stand in ${bullets.length} bullets. Pass words that stand only in what must be forgotten.`,
    );
  }
  await renameSummaries(files, ledger, paths, forgotten);
  for (const [name, text] of files) {
    if (isSkillOf(name, forgotten)) files.delete(name);
    else if (isDistilled(name, layout)) files.set(name, forgotten.cutFrom(text));
  }
  if (files.get(LIVE_NOTES) === '') files.delete(LIVE_NOTES);
  const { selected } = await readSelection(ledger, paths);
  if (files.has(NAMES.rawMemories)) {
    files.set(
      NAMES.rawMemories,
      joinNotes(
        files,
        selected.map(({ id }) => id),
      ),
    );
  }
  return differences(files, snapshot, paths);
}

/** Summaries whose names contain the words, and the links to them. */
async function renameSummaries(files: Map<string, string>, ledger: Ledger, paths: Paths, forgotten: Forgotten) {
  const queue = await readQueue(ledger, paths);
  const renamed = Object.entries(queue).filter(([, { slug = '' }]) => forgotten.isIn(slug));
  if (renamed.length === 0) return;
  for (const [id, { slug = '' }] of renamed) {
    const [before, after] = [slug, FORGOTTEN_SLUG].map((each) => NAMES.rolloutSummary(id, each)) as [string, string];
    for (const [name, text] of [...files]) files.set(name === before ? after : name, text.replaceAll(before, after));
    files.delete(before);
  }
  const slugs = renamed.map(([id, entry]) => [id, { ...entry, slug: FORGOTTEN_SLUG }] as const);
  files.set(NAMES.queue, writeQueue({ ...queue, ...Object.fromEntries(slugs) }));
}

/** The slug of a summary whose slug contained forgotten words. */
export const FORGOTTEN_SLUG = 'forgotten';

function isSkillOf(name: string, forgotten: Forgotten): boolean {
  return isBelow(name, NAMES.skills) && forgotten.isIn(name.split('/')[1] ?? '');
}

/** Whether a file is written by models. */
function isDistilled(name: string, { memoryFile, summaryFile }: Layout): boolean {
  const folders = [NAMES.rawMemoryFolder, NAMES.rolloutSummaries, NAMES.skills];
  return name === memoryFile || name === summaryFile || folders.some((folder) => isBelow(name, folder));
}

async function maskTranscripts(workspace: Workspace, paths: Paths, forgotten: Forgotten) {
  const ids = idsOfSessions(paths, await workspace.list(paths.layout.sessionsDir));
  const changes: Change[] = [];
  // One after the other, because together they may not fit into memory.
  for (const id of ids) changes.push(...(await maskTranscript(workspace, paths, id, forgotten)));
  return changes;
}

function refusal(message: string): MemoryError {
  return new MemoryError('INVALID_ARGUMENT', message);
}
