import { MemoryError } from '@keepsake/core';
import { expectFields } from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';
import { checkPath, isBelow } from './workspace-path.ts';

/** The paths of a memory in its workspace. Memories with different layouts share nothing. */
export interface Layout {
  /** The folder of transcripts, one per conversation. @default 'sessions' */
  readonly sessionsDir: string;
  /** The folder of everything distilled from them. @default 'memories' */
  readonly memoriesDir: string;
  /** The file in `memoriesDir` whose content goes into instructions. @default 'memory_summary.md' */
  readonly summaryFile: string;
  /** The file in `memoriesDir` that is searched. @default 'MEMORY.md' */
  readonly memoryFile: string;
}

/** The files of a layout. All but the first are in `memoriesDir`. */
export class Paths {
  readonly layout: Layout;

  constructor(layout: Layout) {
    this.layout = layout;
  }

  /** One segment per line. */
  session(id: string): string {
    return `${this.layout.sessionsDir}/${id}.jsonl`;
  }

  /** The part of a transcript in which forgotten words are masked. */
  maskedSession(id: string): string {
    return `${this.layout.sessionsDir}/${MASKED}/${id}.jsonl`;
  }

  /** The conversation id of the path of a transcript, or of its masked part. */
  idOfSession(path: string): string | undefined {
    const below = path.slice(this.layout.sessionsDir.length + 1);
    const name = below.startsWith(`${MASKED}/`) ? below.slice(MASKED.length + 1) : below;
    return name.endsWith('.jsonl') && !name.includes('/') ? name.slice(0, -'.jsonl'.length) : undefined;
  }

  /** A path in `memoriesDir`, from the root of the workspace. */
  memory(name: string): string {
    return `${this.layout.memoriesDir}/${name}`;
  }

  /** The inverse. */
  nameOf(path: string): string {
    return path.slice(this.layout.memoriesDir.length + 1);
  }
}

/** Fixed names in the folder of memories. */
export const NAMES = {
  /** The state of the memory: its lease and the change in progress. */
  control: '.keepsake.json',
  queue: 'phase_one_queue.json',
  /** Digests of words that must not be written again. */
  forgotten: 'forgotten.json',
  selection: 'phase_two_selection.json',
  /** Failed attempts to consolidate. */
  attempts: 'phase_two_attempts.json',
  rawMemories: 'raw_memories.md',
  rawMemoryFolder: 'raw_memories',
  rawMemory: (id: string) => `raw_memories/${id}.md`,
  rolloutSummary: (id: string, slug: string) => `rollout_summaries/${id}_${slug}.md`,
  rolloutSummaries: 'rollout_summaries',
  skills: 'skills',
} as const;

const MASKED = 'masked';

/** Marks the folder of transcripts with its layout. */
export const SESSIONS_MARK = '.keepsake.json';

const FILE_NAME = /^[A-Za-z0-9][\w.-]{0,79}$/;
const TAKEN: readonly string[] = [
  NAMES.queue,
  NAMES.forgotten,
  NAMES.selection,
  NAMES.attempts,
  NAMES.rawMemories,
  NAMES.rawMemoryFolder,
  NAMES.rolloutSummaries,
  NAMES.skills,
];

/** Checks the layout and fills in defaults. */
export function checkLayout(options: Partial<Layout> | undefined = {}): Layout {
  const fields = expectFields(options, 'layout', {
    sessionsDir: 'string',
    memoriesDir: 'string',
    summaryFile: 'string',
    memoryFile: 'string',
  });
  const layout: Layout = {
    sessionsDir: fields.sessionsDir ?? 'sessions',
    memoriesDir: fields.memoriesDir ?? 'memories',
    summaryFile: fields.summaryFile ?? 'memory_summary.md',
    memoryFile: fields.memoryFile ?? 'MEMORY.md',
  };
  const { sessionsDir, memoriesDir, summaryFile, memoryFile } = layout;
  for (const folder of [sessionsDir, memoriesDir]) {
    checkPath(folder);
    if (folder.length > 80) throw refusal('sessionsDir and memoriesDir must be at most 80 characters long.');
    if (/^\.keepsake/i.test(folder)) throw refusal('Folders that begin with ".keepsake" are reserved.');
  }
  if (overlap(sessionsDir, memoriesDir)) {
    throw refusal('sessionsDir and memoriesDir must be two folders, neither inside the other.');
  }
  const names = [summaryFile, memoryFile].map((name) => name.toLowerCase());
  if (
    ![summaryFile, memoryFile].every((name) => FILE_NAME.test(name) && !TAKEN.includes(name.toLowerCase())) ||
    names[0] === names[1]
  ) {
    throw refusal(
      'summaryFile and memoryFile must be two different file names, such as memory_summary.md and MEMORY.md.',
    );
  }
  return layout;
}

/** Whether two folders overlap, also on systems that ignore case or Unicode normalization in names. */
function overlap(one: string, other: string): boolean {
  const [a, b] = [one, other].map((folder) => folder.normalize('NFKC').toLowerCase()) as [string, string];
  return a === b || isBelow(a, b) || isBelow(b, a);
}

/** Whether a parsed value is a layout. */
export function isLayout(value: unknown): value is Layout {
  return isObject(value) && LAYOUT_KEYS.every((key) => typeof value[key] === 'string');
}

const LAYOUT_KEYS = ['sessionsDir', 'memoriesDir', 'summaryFile', 'memoryFile'] as const;

export function sameLayout(a: Layout, b: Layout): boolean {
  return LAYOUT_KEYS.every((key) => a[key] === b[key]);
}

/** Throws if two layouts of one workspace share some but not all of their files. */
export function expectApart(a: Layout, b: Layout): void {
  if (sameLayout(a, b)) return;
  const folders = (layout: Layout) => [layout.sessionsDir, layout.memoriesDir];
  if (!folders(a).some((one) => folders(b).some((other) => overlap(one, other)))) return;
  throw refusal(
    'Two layouts of a workspace share some of their files. Use the same four names for both, or separate folders.',
  );
}

function refusal(message: string): MemoryError {
  return new MemoryError('INVALID_ARGUMENT', message);
}
