import { MemoryError } from '@keepsake/core';
import { checkFields, isRecord, text } from '../check-fields.ts';
import { checkPath, isBelow } from './workspace-path.ts';

/** Where a memory lies in its workspace. Memories of different layouts share nothing. */
export interface Layout {
  /** Holds a transcript a conversation. Default `sessions`. */
  readonly sessionsDir: string;
  /** Holds all that is distilled from them. Default `memories`. */
  readonly memoriesDir: string;
  /** The file whose content goes into instructions, in `memoriesDir`. Default `memory_summary.md`. */
  readonly summaryFile: string;
  /** The file that is searched, in `memoriesDir`. Default `MEMORY.md`. */
  readonly memoryFile: string;
}

/** Files of a layout, all but the first in `memoriesDir`. */
export class Paths {
  readonly layout: Layout;

  constructor(layout: Layout) {
    this.layout = layout;
  }

  /** One segment a line. */
  session(id: string): string {
    return `${this.layout.sessionsDir}/${id}.jsonl`;
  }

  /** The id of a conversation whose transcript this is. */
  idOfSession(path: string): string | undefined {
    const name = path.slice(this.layout.sessionsDir.length + 1);
    return name.endsWith('.jsonl') && !name.includes('/') ? name.slice(0, -'.jsonl'.length) : undefined;
  }

  /** A path in `memoriesDir`, from the root of the workspace. */
  memory(name: string): string {
    return `${this.layout.memoriesDir}/${name}`;
  }

  /** The other way round. */
  nameOf(path: string): string {
    return path.slice(this.layout.memoriesDir.length + 1);
  }
}

/** Names in the folder of memories that no option changes. */
export const NAMES = {
  /** The state of the memory: who works on it, and what is being changed. */
  control: '.keepsake.json',
  queue: 'phase_one_queue.json',
  selection: 'phase_two_selection.json',
  rawMemories: 'raw_memories.md',
  rawMemoryFolder: 'raw_memories',
  rawMemory: (id: string) => `raw_memories/${id}.md`,
  rolloutSummary: (id: string, slug: string) => `rollout_summaries/${id}_${slug}.md`,
  rolloutSummaries: 'rollout_summaries',
  skills: 'skills',
} as const;

/** Says of the folder of transcripts whose they are. */
export const SESSIONS_MARK = '.keepsake.json';

const FILE_NAME = /^[A-Za-z0-9][\w.-]{0,79}$/;
const TAKEN: readonly string[] = [
  NAMES.queue,
  NAMES.selection,
  NAMES.rawMemories,
  NAMES.rawMemoryFolder,
  NAMES.rolloutSummaries,
  NAMES.skills,
];

/** The layout with what was not given, checked. */
export function checkLayout(given: Partial<Layout> | undefined = {}): Layout {
  checkFields(given, 'layout', { sessionsDir: text, memoriesDir: text, summaryFile: text, memoryFile: text });
  const layout: Layout = {
    sessionsDir: given.sessionsDir ?? 'sessions',
    memoriesDir: given.memoriesDir ?? 'memories',
    summaryFile: given.summaryFile ?? 'memory_summary.md',
    memoryFile: given.memoryFile ?? 'MEMORY.md',
  };
  const { sessionsDir, memoriesDir, summaryFile, memoryFile } = layout;
  for (const folder of [sessionsDir, memoriesDir]) {
    checkPath(folder);
    if (folder.length > 80) throw refusal('sessionsDir and memoriesDir are to be at most 80 characters long.');
    if (/^\.keepsake/i.test(folder)) throw refusal('Folders that begin with ".keepsake" are for Keepsake itself.');
  }
  if (overlap(sessionsDir, memoriesDir)) {
    throw refusal('sessionsDir and memoriesDir are to be two folders, neither of them in the other.');
  }
  const names = [summaryFile, memoryFile].map((name) => name.toLowerCase());
  if (
    ![summaryFile, memoryFile].every((name) => FILE_NAME.test(name) && !TAKEN.includes(name.toLowerCase())) ||
    names[0] === names[1]
  ) {
    throw refusal('summaryFile and memoryFile are to be two names of files, such as memory_summary.md and MEMORY.md.');
  }
  return layout;
}

/** Whether two folders share a file, on a system that takes names for one that differ in case or form alone, too. */
function overlap(one: string, other: string): boolean {
  const [a, b] = [one, other].map((folder) => folder.normalize('NFKC').toLowerCase()) as [string, string];
  return a === b || isBelow(a, b) || isBelow(b, a);
}

/** Whether a value that was read is a layout. */
export function isLayout(value: unknown): value is Layout {
  return isRecord(value) && LAYOUT_KEYS.every((key) => typeof value[key] === 'string');
}

const LAYOUT_KEYS = ['sessionsDir', 'memoriesDir', 'summaryFile', 'memoryFile'] as const;

export function sameLayout(a: Layout, b: Layout): boolean {
  return LAYOUT_KEYS.every((key) => a[key] === b[key]);
}

/** Throws where two layouts of one workspace share some of their files and not all. */
export function expectApart(a: Layout, b: Layout): void {
  if (sameLayout(a, b)) return;
  const folders = (layout: Layout) => [layout.sessionsDir, layout.memoriesDir];
  if (!folders(a).some((one) => folders(b).some((other) => overlap(one, other)))) return;
  throw refusal(
    'Two layouts of a workspace share some of their files. Give both the same four names, or folders of their own.',
  );
}

function refusal(message: string): MemoryError {
  return new MemoryError('INVALID_ARGUMENT', message);
}
