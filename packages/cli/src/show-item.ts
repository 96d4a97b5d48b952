import type { JsonObject } from '@keepsake/core';
import { wrapAnsi } from 'fast-wrap-ansi';
import type { Output } from './output.ts';
import { printable } from './printable.ts';
import { describeItem } from './session-item.ts';
import { bold } from './style.ts';

/** Shows an item of a session: on a terminal a heading and wrapped text, else a line. */
export async function showItem(output: Output, item: JsonObject): Promise<void> {
  const { who, what } = describeItem(item);
  if (!output.isTerminal) return output.fields(printable(who), printable(what));
  const indent = '  ';
  const lines = wrapAnsi(printable(what.trim(), { lines: true }), output.width - indent.length, { hard: true });
  await output.line(`${bold(printable(who))}\n${lines.replace(/^/gm, indent)}`);
}
