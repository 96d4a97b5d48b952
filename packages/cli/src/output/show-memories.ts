import type { MemoryEntry, MemoryRecord } from '@keepsake/core';
import stringWidth from 'fast-string-width';
import { wrapAnsi } from 'fast-wrap-ansi';
import { formatTime } from './format-time.ts';
import { countOf, type Output } from './output.ts';
import { printable } from './printable.ts';
import { shortened } from './shortened.ts';
import { bold, cyan, dim, green, type Style } from './style.ts';

const GAP = '  ';
/** Enough of an id to tell it from others. */
const MIN_ID_COLUMNS = 24;

type Memory = (MemoryEntry & { readonly id?: string }) | MemoryRecord;

/**
 * Prints memories. On a terminal, each has a heading and at most `maxLines` lines of wrapped text. Otherwise, each is one line
 * with its id, score (if any), time, speaker and text, separated by tabs. The explanation of the score, if any, comes last.
 */
export async function showMemories(output: Output, memories: readonly Memory[], maxLines: number): Promise<void> {
  for (const [index, memory] of memories.entries()) {
    if (!output.isTerminal) await output.fields(...fieldsOf(memory));
    else await output.line(`${index === 0 ? '' : '\n'}${heading(output, memory)}\n${body(output, memory, maxLines)}`);
  }
}

function fieldsOf(memory: Memory): string[] {
  const { id = '', createdAt = '' } = memory;
  const score = 'score' in memory ? [scoreOf(memory)] : [];
  return [printable(id), ...score, createdAt, speakerOf(memory), printable(said(memory)), ...explained(memory)];
}

/** One line of the width of the terminal: a long id is cut to a prefix, which every command accepts. */
function heading(output: Output, memory: Memory): string {
  const { id = '', createdAt = '' } = memory;
  const parts: [text: string, style: Style][] = [
    ...('score' in memory ? [[scoreOf(memory).padStart(5), green] as [string, Style]] : []),
    [formatTime(output, createdAt), cyan],
    ...(speakerOf(memory) === '' ? [] : [[speakerOf(memory), bold] as [string, Style]]),
  ];
  const used = parts.reduce((sum, [text]) => sum + stringWidth(text) + GAP.length, 0);
  const shown = shortened(printable(id), Math.max(output.columns - used, MIN_ID_COLUMNS));
  return [...parts, [shown, dim] as const].map(([text, style]) => style(text, output.stdout)).join(GAP);
}

function body(output: Output, memory: Memory, maxLines: number): string {
  const indent = '  ';
  const text = printable(said(memory).trim(), { lines: true });
  const lines = wrapAnsi(text, output.width - indent.length, { hard: true }).split('\n');
  const shown = lines.slice(0, maxLines).map((line) => `${indent}${line}`);
  const more = lines.length - maxLines;
  if (more > 0)
    shown.push(`${indent}${dim(`… ${countOf(output, more, 'more line')}; --json prints all`, output.stdout)}`);
  shown.push(...explained(memory).map((explanation) => `${indent}${dim(explanation, output.stdout)}`));
  return shown.join('\n');
}

/** Formats an explanation, such as `(words 3.21 + around 0.70) × speaker 1.80`, without the parts that have no effect. */
function explained(memory: Memory): string[] {
  if (!('explanation' in memory) || memory.explanation === undefined) return [];
  const { sum, factors } = memory.explanation;
  const parts = Object.entries(sum).filter(([, part]) => part !== 0);
  const times = Object.entries(factors).filter(([, factor]) => factor !== 1);
  return [[`(${parts.map(named).join(' + ')})`, ...times.map(named)].join(' × ')];
}

function named([name, value]: readonly [string, number]): string {
  return `${name} ${value.toFixed(2)}`;
}

/** The content without a prefix such as `Alice: `, because the speaker is printed separately. */
function said({ turn, content }: Memory): string {
  const prefix = `${turn?.speaker}: `;
  return turn?.speaker !== undefined && content.startsWith(prefix) ? content.slice(prefix.length) : content;
}

function speakerOf({ turn }: Memory): string {
  return printable(turn?.speaker ?? '');
}

function scoreOf({ score = 0 }: MemoryEntry): string {
  return score.toFixed(2);
}
