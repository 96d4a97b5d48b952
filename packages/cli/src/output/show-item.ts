import type { JsonObject, JsonValue } from '@keepsake/core';
import { isObject } from '@keepsake/internal';
import { wrapAnsi } from 'fast-wrap-ansi';
import { textOf } from '../message-text.ts';
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

/** Describes a session item of any shape: its author, and what it says or does. */
function describeItem(item: JsonObject): { readonly who: string; readonly what: string } {
  const { role, type, name, output } = item;
  if (typeof role === 'string') return { who: role, what: textOf(item.content) || JSON.stringify(item.content ?? '') };
  if (type === 'function_call' && typeof name === 'string') {
    return { who: 'call', what: `${name}(${asText(item.arguments)})` };
  }
  if (type === 'function_call_result' || type === 'function_call_output')
    return { who: 'result', what: asText(output) };
  return { who: typeof type === 'string' ? type : 'item', what: JSON.stringify(item) };
}

function asText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  return isObject(value) && typeof value.text === 'string' ? value.text : JSON.stringify(value ?? '');
}
