import type { JsonObject } from '@keepsake/core';
import { isObject } from '@keepsake/internal';
import { textOf } from '../../message-text.ts';
import { callItem, messageItem, resultItem } from './items.ts';

/** The names of tools by the id of their call, for results, which do not tell them. */
export type ToolNames = Map<string, string>;

/**
 * The items of a message in Anthropic's format: text, tool calls and their results, each where it stands. Thinking and images
 * are left out.
 *
 * @param id - Names calls that have no id.
 */
export function blockItems(
  role: string,
  content: string | readonly unknown[],
  { names, id, said }: { readonly names: ToolNames; readonly id: string; readonly said: (text: string) => string },
): JsonObject[] {
  const items: JsonObject[] = [];
  let texts: string[] = [];
  let openCall = '';
  const endText = () => {
    const text = said(texts.join('\n'));
    if (text.trim() !== '') items.push(messageItem(role, text));
    texts = [];
  };
  for (const [index, block] of (typeof content === 'string' ? [{ type: 'text', text: content }] : content).entries()) {
    if (!isObject(block)) continue;
    if (block.type === 'text' && typeof block.text === 'string') texts.push(block.text);
    else if (block.type === 'tool_use' && typeof block.name === 'string') {
      endText();
      openCall = typeof block.id === 'string' ? block.id : `${id}-${index}`;
      names.set(openCall, block.name);
      items.push(callItem(openCall, block.name, block.input));
    } else if (block.type === 'tool_result') {
      endText();
      const callId = typeof block.tool_use_id === 'string' ? block.tool_use_id : openCall;
      const name = names.get(callId);
      // A result without its call, as after damage, is of no use to a model.
      if (name !== undefined) items.push(resultItem(callId, name, textOf(block.content)));
    }
  }
  endText();
  return items;
}
