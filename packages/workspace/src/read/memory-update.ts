import { MemoryError, type MemoryTool } from '@keepsake/core';
import { estimateTokens } from '@keepsake/internal';
import { redactText } from '@keepsake/privacy';
import type { Change } from '../files/control-file.ts';
import { NAMES } from '../files/layout.ts';
import {
  isRollout,
  LIVE,
  readBlocks,
  rolloutsOf,
  withoutReference,
  withRollouts,
  writeBlocks,
} from '../generate/bullets.ts';
import { differences } from '../generate/consolidate.ts';
import { forgetWords } from '../generate/forget-words.ts';
import { allowAgain } from '../generate/forgotten.ts';
import { addLearnt, addLearntToSummary, addLiveNote, joinNotes, LIVE_NOTES } from '../generate/live-notes.ts';
import { readFrontMatter, writeFrontMatter } from '../generate/raw-memory.ts';
import { readSelection } from '../generate/selection.ts';
import { encodeRolloutId } from '../transcript/rollout-id.ts';
import type { MemoryFiles } from './memory-files.ts';
import { textField } from './tool-input.ts';

const MAX_TOKENS = 1_000;

/**
 * Corrects or adds a bullet, or forgets words. Takes effect at once, in all files of the memory and for other runs too, and
 * outlasts later generations.
 *
 * @param rolloutId - The conversation of the run. Becomes a source of the bullets that it adds or changes.
 */
export function memoryUpdate(files: MemoryFiles, rolloutId: string | undefined): MemoryTool {
  const { workspace, ledger, paths } = files;
  const { memoryFile } = paths.layout;
  const own = rolloutId === undefined ? LIVE : encodeRolloutId(rolloutId);
  return {
    name: 'memory_update',
    description: `Corrects ${memoryFile} if it is wrong or out of date, or if the user asks to remember or forget something. Never put secrets there.`,
    inputSchema: {
      type: 'object',
      properties: {
        stale: {
          type: 'string',
          description:
            'To correct a bullet: words that stand only in it. To forget: the words that must disappear from everything, such as a name or an address. "" to add a bullet.',
        },
        now: { type: 'string', description: 'What is true now, as one bullet; "" to forget.' },
      },
      required: ['stale', 'now'],
      additionalProperties: false,
    },
    async execute(input) {
      const stale = textField(input, 'stale').trim();
      const now = oneBullet(redactText(textField(input, 'now')));
      if (stale === '' && now === '') throw refusal('Pass what is stale, what is true now, or both.');
      if (estimateTokens(now) > MAX_TOKENS) throw refusal(`A bullet must have at most ${MAX_TOKENS} tokens. Be brief.`);
      if (now === '') await forgetWords(workspace, ledger, paths, withoutReference(stale));
      else if (stale === '') await ledger.commit(() => remember(files, withRollouts(now, [own]), now));
      else await ledger.commit(() => correct(files, stale, now, own));
      return { updated: true };
    },
  };
}

async function remember({ ledger, paths }: MemoryFiles, bullet: string, now: string): Promise<Change[]> {
  const change = async (name: string, add: (text: string, bullet: string) => string): Promise<Change> => {
    const path = paths.memory(name);
    const file = await ledger.read(path);
    const before = file?.text ?? '';
    // A call that is repeated adds nothing.
    const text = before.split('\n').includes(bullet) ? before : add(before, bullet);
    return { path, base: file?.version ?? null, text };
  };
  const { memoryFile, summaryFile } = paths.layout;
  return [
    await change(memoryFile, addLearnt),
    await change(summaryFile, addLearntToSummary),
    await change(LIVE_NOTES, addLiveNote),
    ...(await allowAgain(ledger, paths, now)),
  ];
}

async function correct({ ledger, paths }: MemoryFiles, stale: string, now: string, own: string): Promise<Change[]> {
  const { memoryFile, summaryFile } = paths.layout;
  const snapshot = await ledger.snapshot(paths.layout.memoriesDir);
  const files = new Map(Array.from(snapshot, ([path, { text }]) => [paths.nameOf(path), text]));
  const blocks = readBlocks(files.get(memoryFile) ?? '');
  const indexes = blocks.flatMap((block, index) =>
    block.kind === 'bullet' && block.text.includes(stale) ? [index] : [],
  );
  const [at] = indexes;
  if (at === undefined || indexes.length > 1) {
    const where = at === undefined ? 'in no bullet' : 'in more than one bullet';
    throw refusal(`The stale words stand ${where}. Open the file, and take words that stand in just one.`);
  }
  const sources = rolloutsOf(blocks[at]?.text ?? '').filter(isRollout);
  // This run becomes another source of the bullet.
  const bullet = withRollouts(now, [...new Set([...sources, own])]);
  files.set(memoryFile, writeBlocks(blocks.with(at, { kind: 'bullet', text: bullet })));

  const words = withoutReference(stale).trim();
  const replaceIn = (name: string, text: string, by: readonly string[]) => {
    if (words !== '') files.set(name, replaceBullets(text, words, sources, by));
  };
  replaceIn(summaryFile, files.get(summaryFile) ?? '', [bullet]);
  replaceIn(LIVE_NOTES, files.get(LIVE_NOTES) ?? '', []);
  files.set(LIVE_NOTES, addLiveNote(files.get(LIVE_NOTES) ?? '', bullet));
  for (const id of sources) {
    const { fields, body } = readFrontMatter(files.get(NAMES.rawMemory(id)) ?? '') ?? {};
    if (fields === undefined || body === undefined || words === '' || !body.includes(words)) continue;
    files.set(NAMES.rawMemory(id), writeFrontMatter(fields, replaceBullets(body, words, [], [now])));
  }
  const { selected } = await readSelection(ledger, paths);
  const ids = selected.map(({ id }) => id);
  if (files.has(NAMES.rawMemories)) files.set(NAMES.rawMemories, joinNotes(files, ids));
  return [...differences(files, snapshot, paths), ...(await allowAgain(ledger, paths, now))];
}

/** Replaces the first bullet that contains the words and names one of the sources, if it names any; removes the others. */
function replaceBullets(text: string, words: string, sources: readonly string[], by: readonly string[]): string {
  const left = [...by];
  let changed = false;
  const blocks = readBlocks(text).flatMap((block) => {
    const named = rolloutsOf(block.text);
    const isSame = named.length === 0 || named.some((id) => sources.includes(id));
    if (block.kind !== 'bullet' || !isSame || !withoutReference(block.text).includes(words)) return [block];
    changed = true;
    return left.splice(0, 1).map((bullet) => ({ ...block, text: bullet }));
  });
  return changed ? writeBlocks(blocks) : text;
}

/** A text as one bullet, without the sources that it claims. */
function oneBullet(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const plain = lines
    .join(' ')
    .replace(/^(?:[-*]|#{1,6}) /, '')
    .replace(/\[rollouts?:[^\]]*\]/g, '')
    .trim();
  return plain === '' ? '' : `- ${plain}`;
}

function refusal(message: string): MemoryError {
  return new MemoryError('INVALID_ARGUMENT', message);
}
