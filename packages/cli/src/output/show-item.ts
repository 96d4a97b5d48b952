import type { JsonObject } from '@keepsake/core';
import { wrapAnsi } from 'fast-wrap-ansi';
import { describeItem } from './describe-item.ts';
import type { Output } from './output.ts';
import { printable } from './printable.ts';
import { bold } from './style.ts';

/** Prints a session item: on a terminal as a heading with wrapped text, otherwise on one line. */
export async function showItem(output: Output, item: JsonObject): Promise<void> {
  const { who, what } = describeItem(item);
  if (!output.isTerminal) return output.fields(printable(who), printable(what));
  const indent = '  ';
  const lines = wrapAnsi(printable(what.trim(), { lines: true }), output.width - indent.length, { hard: true });
  await output.line(`${bold(printable(who), output.stdout)}\n${lines.replace(/^/gm, indent)}`);
}
