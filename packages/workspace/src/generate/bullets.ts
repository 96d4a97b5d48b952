import { ROLLOUT_NAME } from '../transcript/rollout-id.ts';

/*
 * The format of distilled files: headings, and bullets that end with their source rollouts, such as `- Tests run with make
 * check [rollouts: invoice-fix, conv-7]`. Indented lines belong to the bullet above, except an indented bullet below one
 * that has named its rollouts.
 */

/** The source of a bullet that a run added without a rollout. No rollout id looks like this. */
export const LIVE = '~live';

const BULLET = /^[-*] /;
const HEADING = /^#{1,6} /;
const REFERENCE = /[ \t]*\[rollouts?:[ \t]*([^\]\n]*)\][ \t]*$/;

/** A heading, a bullet with its indented lines, or another line. */
export interface Block {
  readonly kind: 'heading' | 'bullet' | 'other';
  readonly text: string;
}

/** The blocks of a file, without the empty lines between them. */
export function readBlocks(text: string): Block[] {
  const blocks: { kind: Block['kind']; text: string }[] = [];
  for (const line of text.replaceAll('\r\n', '\n').split('\n')) {
    const last = blocks.at(-1);
    if (line.trim() === '') continue;
    if (HEADING.test(line)) blocks.push({ kind: 'heading', text: line.trimEnd() });
    else if (BULLET.test(line)) blocks.push({ kind: 'bullet', text: line.trimEnd() });
    else if (/^\s+[-*] /.test(line) && last?.kind === 'bullet' && REFERENCE.test(last.text))
      blocks.push({ kind: 'bullet', text: line.trimEnd() });
    else if (/^\s/.test(line) && last?.kind === 'bullet') last.text += `\n${line.trimEnd()}`;
    else blocks.push({ kind: 'other', text: line.trimEnd() });
  }
  return blocks;
}

/** The source rollouts of a bullet, if it names any. */
export function rolloutsOf(bullet: string): string[] {
  const listed = REFERENCE.exec(bullet)?.[1] ?? '';
  return listed
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

/**
 * A block of a distilled file, with the conversations that it comes from: none unless it is a bullet that names some. Its text
 * does not repeat them.
 */
export interface MemoryBlock extends Block {
  readonly rollouts: readonly string[];
}

/** The blocks of a distilled file, such as `MEMORY.md`, and which conversations each bullet comes from. */
export function memoryBlocks(text: string): MemoryBlock[] {
  return readBlocks(text).map((block) => {
    const rollouts = block.kind === 'bullet' ? rolloutsOf(block.text) : [];
    return { ...block, text: rollouts.length === 0 ? block.text : withoutReference(block.text), rollouts };
  });
}

/** The source rollouts of all bullets of a file. */
export function rolloutsIn(text: string): string[] {
  return memoryBlocks(text).flatMap(({ rollouts }) => rollouts);
}

/** A bullet without its source rollouts. */
export function withoutReference(bullet: string): string {
  return bullet.replace(REFERENCE, '');
}

/** A bullet with these source rollouts. */
export function withRollouts(bullet: string, rollouts: readonly string[]): string {
  return `${withoutReference(bullet)} [rollouts: ${rollouts.join(', ')}]`;
}

/** Whether a text is a valid rollout id in a file. */
export function isRollout(id: string): boolean {
  return id === LIVE || ROLLOUT_NAME.test(id);
}

/** Removes bullets whose source rollouts are all gone, and headings that become empty. */
export function withoutRollouts(text: string, gone: ReadonlySet<string>): string {
  const kept: Block[] = [];
  let changed = false;
  for (const block of readBlocks(text)) {
    const rollouts = block.kind === 'bullet' ? rolloutsOf(block.text) : [];
    const left = rollouts.filter((id) => !gone.has(id));
    if (left.length < rollouts.length) changed = true;
    if (rollouts.length > 0 && left.length === 0) continue;
    kept.push(left.length < rollouts.length ? { ...block, text: withRollouts(block.text, left) } : block);
  }
  return changed ? writeBlocks(withoutEmptyHeadings(kept)) : text;
}

/** Joins blocks with an empty line before each heading. */
export function writeBlocks(blocks: readonly Block[]): string {
  const lines = blocks.map(({ kind, text }, index) => (kind === 'heading' && index > 0 ? `\n${text}` : text));
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

/** The blocks without headings that have nothing below them. */
export function withoutEmptyHeadings(blocks: readonly Block[]): Block[] {
  const levelOf = ({ text }: Block) => text.indexOf(' ');
  return blocks.filter((block, index) => {
    if (block.kind !== 'heading') return true;
    const next = blocks.slice(index + 1).find((other) => other.kind !== 'heading' || levelOf(other) <= levelOf(block));
    return next !== undefined && next.kind !== 'heading';
  });
}
