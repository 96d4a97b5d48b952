import { type JsonObject, type JsonValue, type Message, messageText, withoutToolCalls } from '@keepsake/core';

/** Something that was said in a run, or done with a tool. */
export interface Said {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
}

/** What items say, in the order in which they say it; of what tools were given and gave, only where that is `fed`. */
export function saidIn(items: readonly JsonObject[], fed: boolean): Said[] {
  return items.flatMap((item) => {
    const said = spoken(item);
    return fed && isOfTools(item) ? [...said, { role: 'tool' as const, text: JSON.stringify(toolParts(item)) }] : said;
  });
}

/** What users themselves have said. */
export function saidByUser(items: readonly JsonObject[]): string[] {
  return items.flatMap(spoken).flatMap(({ role, text }) => (role === 'user' ? [text] : []));
}

function spoken(item: JsonObject): Said[] {
  const { role, content } = item;
  if ((role !== 'user' && role !== 'assistant') || !isContent(content)) return [];
  const text = messageText({ role, content: content as Message['content'] }).trim();
  return text === '' ? [] : [{ role, text }];
}

function isContent(content: JsonValue | undefined): boolean {
  return (
    typeof content === 'string' ||
    (Array.isArray(content) && content.every((part) => typeof part === 'object' && part !== null))
  );
}

function isOfTools(item: JsonObject): boolean {
  return withoutToolCalls([item])[0] !== item;
}

/** The item where it is a call or a result itself, else its blocks that are. */
function toolParts(item: JsonObject): JsonValue {
  if (!Array.isArray(item.content) || item.role === undefined) return item;
  const blocks = item.content.filter((block) => typeof block === 'object' && block !== null) as JsonObject[];
  return blocks.filter((block) => withoutToolCalls([{ content: [block] }]).length === 0);
}
