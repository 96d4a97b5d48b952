import { isMemoryError, MemoryError } from '@keepsake/core';
import { placeholder } from '@keepsake/internal';
import { redactText } from '@keepsake/privacy';
import type { Change } from '../files/control-file.ts';
import { NAMES, type Paths } from '../files/layout.ts';
import type { Lease } from '../files/lease.ts';
import type { Ledger } from '../files/ledger.ts';
import { type Queue, type QueueEntry, readQueue, writeQueue } from '../files/queue.ts';
import type { Workspace } from '../files/workspace.ts';
import { EXTRACTION_SCHEMA, extractionPrompt, extractionSystem, type Notes } from '../prompts/extraction.ts';
import { type FreshSegments, readSegments, renderTranscript } from '../transcript/transcript.ts';
import { marksOfSessions, readTranscript } from '../transcript/transcript-files.ts';
import { type Meter, NotAsked } from './cost.ts';
import { cutToTokens } from './cut.ts';
import { FORGOTTEN_SLUG } from './forget-words.ts';
import { type Forgotten, readForgotten } from './forgotten.ts';
import { faultOfRawMemory, readFrontMatter, writeFrontMatter } from './raw-memory.ts';
import { notUnderstood } from './read-answer.ts';

/** The input of phase 1. */
export interface Extraction {
  readonly workspace: Workspace;
  readonly ledger: Ledger;
  readonly paths: Paths;
  readonly meter: Meter;
  readonly extraPrompt: string | undefined;
  readonly maxPromptTokens: number;
  readonly signal: AbortSignal;
}

/** A conversation with new content. */
export interface Pending {
  readonly id: string;
  readonly fresh: FreshSegments;
  readonly entry: QueueEntry | undefined;
  /** Taken before the transcript was read, so that it differs if it has grown since. */
  readonly mark: string | undefined;
}

const MAX_ATTEMPTS = 5;
/** Several times what the model is asked for. */
const MAX_SUMMARY_TOKENS = 8_000;
const MAX_NOTES_TOKENS = 5_000;
const CUT = '(cut, since it is too long)';

/** Whether a transcript was extracted to its end, as far as its mark tells. */
export function isExtracted(entry: QueueEntry | undefined, mark: string | undefined): boolean {
  return mark !== undefined && entry?.mark === mark;
}

/** The conversations that have grown since their extraction, longest waiting first. */
export async function pendingRollouts({ workspace, ledger, paths }: Extraction): Promise<Pending[]> {
  const queue = await readQueue(ledger, paths);
  const pending: Pending[] = [];
  for (const [id, mark] of await marksOfSessions(workspace, paths)) {
    const entry = queue[id];
    if (isExtracted(entry, mark)) continue;
    const fresh = readSegments((await readTranscript(workspace, paths, id))?.text ?? '', entry?.cursor ?? 0);
    const isGivenUp = (entry?.attempts ?? 0) >= MAX_ATTEMPTS && fresh.end <= (entry?.seen ?? 0);
    if (fresh.segments.length > 0 && !isGivenUp) pending.push({ id, fresh, entry, mark });
  }
  const since = ({ fresh }: Pending) => fresh.segments[0]?.updatedAt ?? '';
  return pending.sort((a, b) => (since(a) < since(b) ? -1 : 1));
}

/**
 * Lets the model take notes on a conversation, and stores the notes and the progress atomically.
 *
 * @returns whether there was anything worth keeping.
 * @throws the failure, after recording it in the queue.
 */
export async function extract(work: Extraction, pending: Pending, lease: Lease): Promise<boolean> {
  try {
    const notes = await askForNotes(work, pending);
    await keep(work, pending, notes, lease);
    return notes !== undefined;
  } catch (error) {
    const isOver = isMemoryError(error, 'ABORTED') || error instanceof NotAsked || lease.signal.aborted;
    if (!isOver) await keepFailure(work, pending, error, lease);
    throw error;
  }
}

async function askForNotes(work: Extraction, { id, fresh, entry }: Pending): Promise<Notes | undefined> {
  const earlier = await readNotes(work, id, entry);
  const system = extractionSystem(work.extraPrompt, earlier !== undefined);
  const prompt = extractionPrompt(renderTranscript(fresh.segments, work.maxPromptTokens), earlier);
  const notes = checkNotes(await work.meter.ask({ system, prompt, schema: EXTRACTION_SCHEMA }, work.signal));
  if (notes === undefined || earlier === undefined) return notes;
  const since = `## Until ${lastRun(fresh)}`;
  return { ...notes, summary: `${earlier.summary}\n\n${since}\n\n${notes.summary}` };
}

/** The time of the conversation's last activity. */
function lastRun({ segments }: FreshSegments): string {
  return (
    segments
      .map(({ updatedAt }) => updatedAt)
      .sort()
      .at(-1) ?? ''
  );
}

/** A text, or `''` for one that says that there is nothing. */
function textOf(text: unknown): string {
  return typeof text === 'string' && placeholder(text) !== 'nothing' ? text.trim() : '';
}

/** @returns `undefined` for nothing worth keeping. */
function checkNotes(answer: Record<string, unknown>): Notes | undefined {
  const texts = [answer.rolloutSummary, answer.rolloutSlug, answer.rawMemory];
  if (!texts.every((text) => typeof text === 'string')) throw notUnderstood('a text is missing');
  const [summary = '', slug = '', rawMemory = ''] = texts.map(textOf);
  if (summary === '' && slug === '' && rawMemory === '') return undefined;
  if (summary === '' || slug === '' || rawMemory === '') throw notUnderstood('some texts are empty and others are not');
  if (!/^[a-z0-9][a-z0-9_-]{0,79}$/.test(slug)) throw notUnderstood('rolloutSlug is not a slug');
  if (redactText(slug) !== slug) throw notUnderstood('rolloutSlug holds a secret');
  const fault = faultOfRawMemory(rawMemory);
  if (fault !== undefined) throw notUnderstood(fault);
  return {
    slug,
    summary: cutToTokens(redactText(summary), MAX_SUMMARY_TOKENS, CUT),
    rawMemory: cutToTokens(redactText(rawMemory), MAX_NOTES_TOKENS, CUT),
  };
}

async function readNotes(
  { ledger, paths }: Extraction,
  id: string,
  entry: QueueEntry | undefined,
): Promise<Notes | undefined> {
  if (entry?.slug === undefined) return undefined;
  const raw = await ledger.read(paths.memory(NAMES.rawMemory(id)));
  const summary = await ledger.read(paths.memory(NAMES.rolloutSummary(id, entry.slug)));
  if (raw === undefined || summary === undefined) return undefined;
  const bodyOf = (text: string) => readFrontMatter(text)?.body.trim() ?? text;
  const { fields = new Map<string, string>(), body = raw.text } = readFrontMatter(raw.text) ?? {};
  const own = [...fields].filter(([name]) => !ADDED.includes(name));
  return { slug: entry.slug, summary: bodyOf(summary.text), rawMemory: writeFrontMatter(own, body).trim() };
}

/** The fields of the front matter that we add to those of the model. */
const ADDED: readonly string[] = ['rollout_id', 'updated_at', 'rollout_summary'];

async function keep(
  { ledger, paths }: Extraction,
  { id, fresh, entry, mark }: Pending,
  newNotes: Notes | undefined,
  lease: Lease,
): Promise<void> {
  const last =
    fresh.segments
      .map(({ updatedAt }) => updatedAt)
      .sort()
      .at(-1) ?? '';
  await ledger.commit(async () => {
    // A run may have been asked to forget something while the model was reading it.
    const notes = newNotes && withoutForgotten(newNotes, await readForgotten(ledger, paths));
    const slug = notes?.slug ?? entry?.slug;
    const done: QueueEntry = {
      rolloutId: fresh.segments[0]?.rolloutId ?? id,
      status: slug === undefined ? 'empty' : 'extracted',
      attempts: 0,
      cursor: fresh.end,
      seen: fresh.end,
      updatedAt: last,
      ...(mark !== undefined && { mark }),
      ...(slug !== undefined && { slug }),
    };
    const changes = [await queueChange(ledger, paths, (queue) => ({ ...queue, [id]: done }), [id, entry])];
    if (notes === undefined) return changes;
    const base = async (name: string) => (await ledger.read(paths.memory(name)))?.version ?? null;
    const put = async (name: string, text: string): Promise<Change> => {
      return { path: paths.memory(name), base: await base(name), text };
    };
    const summary = NAMES.rolloutSummary(id, notes.slug);
    const head = [
      ['rollout_id', id],
      ['updated_at', last],
    ] as const;
    const { fields, body } = readFrontMatter(notes.rawMemory) ?? { fields: new Map(), body: notes.rawMemory };
    const ofModel = [...fields].filter(([name]) => !ADDED.includes(name));
    changes.push(
      await put(
        NAMES.rawMemory(id),
        writeFrontMatter([...head, ['rollout_summary', summary], ...ofModel], `${body.trim()}\n`),
      ),
      await put(summary, writeFrontMatter(head, `${notes.summary}\n`)),
    );
    const old = entry?.slug;
    if (old !== undefined && old !== notes.slug) {
      const name = NAMES.rolloutSummary(id, old);
      const version = await base(name);
      if (version !== null) changes.push({ path: paths.memory(name), base: version, text: null });
    }
    return changes;
  }, lease);
}

function withoutForgotten({ slug, summary, rawMemory }: Notes, forgotten: Forgotten): Notes {
  return {
    slug: forgotten.isIn(slug) ? FORGOTTEN_SLUG : slug,
    summary: forgotten.cutFrom(summary),
    rawMemory: forgotten.cutFrom(rawMemory),
  };
}

async function keepFailure(
  { ledger, paths }: Extraction,
  { id, fresh, entry }: Pending,
  error: unknown,
  lease: Lease,
): Promise<void> {
  const failed: QueueEntry = {
    ...(entry ?? { rolloutId: fresh.segments[0]?.rolloutId ?? id, cursor: 0, updatedAt: '' }),
    status: 'failed',
    attempts: (entry !== undefined && fresh.end <= entry.seen ? entry.attempts : 0) + 1,
    error: isMemoryError(error) ? redactText(error.message) : 'The model failed.',
    seen: fresh.end,
  };
  await ledger.commit(async () => {
    return [await queueChange(ledger, paths, (queue) => ({ ...queue, [id]: failed }), [id, entry])];
  }, lease);
}

/** Throws `CONFLICT` if the conversation was forgotten or extracted by another process since it was read. */
async function queueChange(
  ledger: Ledger,
  paths: Paths,
  change: (queue: Queue) => Queue,
  [id, expected]: readonly [string, QueueEntry | undefined],
): Promise<Change> {
  const path = paths.memory(NAMES.queue);
  const base = (await ledger.read(path))?.version ?? null;
  const queue = await readQueue(ledger, paths);
  if (queue[id]?.cursor !== expected?.cursor)
    throw new MemoryError('CONFLICT', 'The conversation has changed in the meantime.');
  return { path, base, text: writeQueue(change(queue)) };
}
