import { estimateTokens } from '@keepsake/internal';
import { type Layout, NAMES } from '../files/layout.ts';
import { type Block, LIVE, readBlocks, withoutReference, writeBlocks } from './bullets.ts';
import { MAX_SUMMARY_TOKENS } from './check-memory.ts';

/*
 * What runs remember and correct is a note of its own, because the memory is rewritten from notes. The program makes sure
 * that it stays in the memory, whatever the model of a consolidation does.
 */

/** The notes of runs: bullets with their sources, newest first. */
export const LIVE_NOTES = NAMES.rawMemory(LIVE);

const HEADING = '# Learnt in a run';
/** More of them would displace the rest of the summary. */
const MAX_IN_SUMMARY = 20;

/** Adds a bullet below the heading of what runs have learned. */
export function addLearnt(text: string, bullet: string): string {
  const blocks = readBlocks(text);
  if (!blocks.some((block) => block.text === HEADING)) blocks.push({ kind: 'heading', text: HEADING });
  const at = blocks.findIndex((block) => block.text === HEADING) + 1;
  return writeBlocks(blocks.toSpliced(at, 0, { kind: 'bullet', text: bullet }));
}

/** The same in the summary: first, where it is not cut, and only as much as leaves room for the rest. */
export function addLearntToSummary(text: string, bullet: string): string {
  const blocks = readBlocks(text);
  const from = blocks.findIndex((block) => block.text === HEADING);
  const rest = blocks.slice(from + 1);
  const length = from === -1 ? 0 : lengthOfSection(rest);
  const others = from === -1 ? blocks : blocks.toSpliced(from, length + 1);
  const learnt: Block[] = [{ kind: 'bullet', text: bullet }, ...rest.slice(0, length).slice(0, MAX_IN_SUMMARY - 1)];
  const write = () => writeBlocks([{ kind: 'heading', text: HEADING }, ...learnt, ...others]);
  while (learnt.length > 1 && estimateTokens(write()) > MAX_SUMMARY_TOKENS) learnt.pop();
  return write();
}

function lengthOfSection(blocks: readonly Block[]): number {
  const next = blocks.findIndex(({ kind }) => kind === 'heading');
  return next === -1 ? blocks.length : next;
}

/** Adds a bullet to the notes of runs. */
export function addLiveNote(text: string, bullet: string): string {
  return writeBlocks([{ kind: 'bullet', text: bullet }, ...readBlocks(text)]);
}

/** Adds the notes of runs that a consolidation has left out of the memory. */
export function restoreLiveNotes(files: Map<string, string>, { memoryFile, summaryFile }: Layout): void {
  const notes = readBlocks(files.get(LIVE_NOTES) ?? '');
  const missingIn = (name: string) => {
    const text = plain(files.get(name) ?? '');
    return notes.filter((note) => !text.includes(plain(withoutReference(note.text).replace(/^[-*] /, '')))).reverse();
  };
  for (const note of missingIn(memoryFile)) files.set(memoryFile, addLearnt(files.get(memoryFile) ?? '', note.text));
  for (const note of missingIn(summaryFile).slice(-MAX_IN_SUMMARY))
    files.set(summaryFile, addLearntToSummary(files.get(summaryFile) ?? '', note.text));
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

/** The content of the file of all notes that count: those of runs, and of the given conversations. */
export function joinNotes(files: ReadonlyMap<string, string>, ids: readonly string[]): string {
  const own = files.get(LIVE_NOTES) ?? '';
  return [...(own === '' ? [] : [own]), ...ids.map((id) => files.get(NAMES.rawMemory(id)) ?? '')].join('\n');
}
