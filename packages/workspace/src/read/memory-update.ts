import { MemoryError, type MemoryTool } from '@keepsake/core';
import { estimateTokens } from '@keepsake/internal';
import type { Paths } from '../files/layout.ts';
import type { Ledger } from '../files/ledger.ts';
import { isRollout, LIVE, readBlocks, rolloutsOf, withRollouts, writeBlocks } from '../generate/bullets.ts';
import { redactText } from '../transcript/redact.ts';
import { encodeRolloutId } from '../transcript/rollout-id.ts';
import { textField } from './tool-input.ts';

const MAX_TOKENS = 1_000;
const HEADING = '# Learnt in a run';

/**
 * Corrects, removes or adds one bullet of the index. Takes effect at once, for other runs too.
 *
 * @param rolloutId - The conversation of the run. Becomes a source of the bullets that it adds or changes.
 */
export function memoryUpdate(ledger: Ledger, paths: Paths, rolloutId: string | undefined): MemoryTool {
  const { memoryFile } = paths.layout;
  const own = rolloutId === undefined ? LIVE : encodeRolloutId(rolloutId);
  return {
    name: 'memory_update',
    description: `Mends ${memoryFile} where it is wrong or out of date, or where the user asks to remember or forget something. Never put secrets there.`,
    inputSchema: {
      type: 'object',
      properties: {
        stale: {
          type: 'string',
          description: 'Words that stand in just one bullet, which must be replaced; "" to add one.',
        },
        now: { type: 'string', description: 'What is true now, as one bullet; "" to take the stale one away.' },
      },
      required: ['stale', 'now'],
      additionalProperties: false,
    },
    async execute(input) {
      const stale = textField(input, 'stale').trim();
      const now = oneBullet(await redactText(textField(input, 'now')));
      if (stale === '' && now === '') throw refusal('Pass what is stale, what is true now, or both.');
      if (estimateTokens(now) > MAX_TOKENS) throw refusal(`A bullet must have at most ${MAX_TOKENS} tokens. Be brief.`);
      await ledger.commit(async () => {
        const path = paths.memory(memoryFile);
        const file = await ledger.read(path);
        return [{ path, base: file?.version ?? null, text: update(file?.text ?? '', stale, now, own) }];
      });
      return { updated: true };
    },
  };
}

function update(text: string, stale: string, now: string, own: string): string {
  const blocks = readBlocks(text);
  if (stale === '') {
    if (!blocks.some((block) => block.text === HEADING)) blocks.push({ kind: 'heading', text: HEADING });
    const at = blocks.findIndex((block) => block.text === HEADING) + 1;
    return writeBlocks(blocks.toSpliced(at, 0, { kind: 'bullet', text: withRollouts(now, [own]) }));
  }
  const found = blocks.flatMap((block, index) =>
    block.kind === 'bullet' && block.text.includes(stale) ? [index] : [],
  );
  const [at] = found;
  if (at === undefined || found.length > 1) {
    const where = at === undefined ? 'in no bullet' : 'in more than one bullet';
    throw refusal(`The stale words stand ${where}. Open the file, and take words that stand in just one.`);
  }
  if (now === '') return writeBlocks(blocks.toSpliced(at, 1));
  // This run becomes another source of the bullet.
  const rollouts = new Set([...rolloutsOf(blocks[at]?.text ?? '').filter(isRollout), own]);
  return writeBlocks(blocks.with(at, { kind: 'bullet', text: withRollouts(now, [...rollouts]) }));
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
