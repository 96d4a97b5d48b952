import type { MemoryEntry, MemoryRecord } from '@keepsake/core';
import { wrapAnsi } from 'fast-wrap-ansi';
import type { Output } from './output.ts';
import { printable } from './printable.ts';
import { bold, cyan, dim, green } from './style.ts';

type Memory = (MemoryEntry & { readonly id?: string }) | MemoryRecord;

/**
 * Shows memories: on a terminal a heading and the wrapped text of each, at most `maxLines`; else a line each of id,
 * score (where they have one), time, speaker and text, with tabs between. What explains the score comes last.
 */
export async function showMemories(output: Output, memories: readonly Memory[], maxLines: number): Promise<void> {
  for (const [index, memory] of memories.entries()) {
    if (!output.isTerminal) await output.fields(...fieldsOf(memory));
    else await output.line(`${index === 0 ? '' : '\n'}${heading(memory)}\n${body(memory, output.width, maxLines)}`);
  }
}

function fieldsOf(memory: Memory): string[] {
  const { id = '', createdAt = '', content } = memory;
  const score = 'score' in memory ? [scoreOf(memory)] : [];
  return [
    printable(id),
    ...score,
    createdAt,
    speakerOf(memory),
    printable(said(memory, content)),
    ...explained(memory),
  ];
}

function heading(memory: Memory): string {
  const score = 'score' in memory ? [green(scoreOf(memory).padStart(5))] : [];
  const speaker = speakerOf(memory);
  const { id = '', createdAt = '' } = memory;
  return [...score, cyan(localTime(createdAt)), ...(speaker === '' ? [] : [bold(speaker)]), dim(printable(id))].join(
    '  ',
  );
}

function body(memory: Memory, width: number, maxLines: number): string {
  const indent = '  ';
  const text = printable(said(memory, memory.content).trim(), { lines: true });
  const lines = wrapAnsi(text, width - indent.length, { hard: true }).split('\n');
  const shown = lines.slice(0, maxLines).map((line) => `${indent}${line}`);
  if (lines.length > maxLines) shown.push(`${indent}${dim(`… ${lines.length - maxLines} more lines; --json has all`)}`);
  shown.push(...explained(memory).map((explanation) => `${indent}${dim(explanation)}`));
  return shown.join('\n');
}

/** Such as `(words 3.21 + neighbours 0.70) × speaker 1.80`, without what adds or changes nothing. */
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

/** The text without the name that stands beside it. */
function said({ turn }: Memory, content: string): string {
  const prefix = `${turn?.speaker}: `;
  return turn?.speaker !== undefined && content.startsWith(prefix) ? content.slice(prefix.length) : content;
}

function speakerOf({ turn }: Memory): string {
  return printable(turn?.speaker ?? '');
}

function scoreOf({ score = 0 }: MemoryEntry): string {
  return score.toFixed(2);
}

/** Such as `2026-05-05 14:03`, in the zone of whoever reads it. */
export function localTime(time: string): string {
  const date = new Date(time);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
