import { ROLLOUT_NAME } from '../transcript/rollout-id.ts';

/*
 * The form of the files that are distilled: headings, and bullets that end with the rollouts they rest on, such as
 * `- Tests run with make check [rollouts: invoice-fix, conv-7]`. Lines that are indented belong to the bullet above; but
 * below one that has said what it rests on, a bullet that is indented is one of its own.
 */

/** What a bullet rests on that a run has put in by itself, knowing no rollout. No rollout's id is written like this. */
export const LIVE = '~live';

const BULLET = /^[-*] /;
const HEADING = /^#{1,6} /;
const REFERENCE = /[ \t]*\[rollouts?:[ \t]*([^\]\n]*)\][ \t]*$/;

/** A heading, a bullet with what belongs to it, or a line that is neither. */
export interface Block {
  readonly kind: 'heading' | 'bullet' | 'other';
  readonly text: string;
}

/** The blocks of a file of this form, without the empty lines between them. */
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

/** The rollouts that a bullet rests on; none where it doesn't say. */
export function rolloutsOf(bullet: string): string[] {
  const listed = REFERENCE.exec(bullet)?.[1] ?? '';
  return listed
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

/** The rollouts that the bullets of a file rest on. */
export function rolloutsIn(text: string): string[] {
  return readBlocks(text).flatMap((block) => (block.kind === 'bullet' ? rolloutsOf(block.text) : []));
}

/** A bullet that rests on these rollouts. */
export function withRollouts(bullet: string, rollouts: readonly string[]): string {
  return `${bullet.replace(REFERENCE, '')} [rollouts: ${rollouts.join(', ')}]`;
}

/** Whether a text can be the id of a rollout in a file. */
export function isRollout(id: string): boolean {
  return id === LIVE || ROLLOUT_NAME.test(id);
}

/** A file without what rests on none but rollouts that are gone, and without the headings that nothing is left below. */
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

/** With an empty line before each heading. */
export function writeBlocks(blocks: readonly Block[]): string {
  const lines = blocks.map(({ kind, text }, index) => (kind === 'heading' && index > 0 ? `\n${text}` : text));
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function withoutEmptyHeadings(blocks: readonly Block[]): Block[] {
  const levelOf = ({ text }: Block) => text.indexOf(' ');
  return blocks.filter((block, index) => {
    if (block.kind !== 'heading') return true;
    const next = blocks.slice(index + 1).find((other) => other.kind !== 'heading' || levelOf(other) <= levelOf(block));
    return next !== undefined && next.kind !== 'heading';
  });
}
