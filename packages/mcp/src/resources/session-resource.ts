import type { AnyItem, SessionInfo, SessionStore } from '@keepsake/core';
import { checkId } from '@keepsake/core/adapter';
import { estimateTokens, isObject } from '@keepsake/internal';
import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { cutAt } from '../text/cut.ts';
import { entryLine, framed } from '../text/memory-text.ts';
import { TOKENS } from '../text/token-limits.ts';
import { idIn, MIME_TYPE, textContents } from './text-contents.ts';

/** The newest items to show, before the limit of tokens. */
const MAX_ITEMS = 100;
const MAX_LISTED = 50;
/** The most that is shown of an item, in UTF-16 units. */
const MAX_SHOWN = 2_000;

export function sessionResource(server: McpServer, sessions: SessionStore): void {
  const about = {
    title: 'Session',
    description: 'The newest messages of a conversation by its id, percent-encoded, oldest first.',
    mimeType: MIME_TYPE,
  };
  const list = async () => {
    const { items } = await sessions.list({ limit: MAX_LISTED });
    return { resources: items.map(listed) };
  };
  const template = new ResourceTemplate('memory://session/{id}', { list });
  server.registerResource('session', template, about, async (uri, { id }) => {
    const sessionId = idIn(uri, id);
    checkId(sessionId, 'The id');
    const items = await sessions.open(sessionId).getItems(MAX_ITEMS);
    if (items.length === 0) throw new ResourceNotFoundError(uri.href);
    return textContents(uri, framed(newestLines(items)));
  });
}

function listed({ sessionId, itemCount, updatedAt }: SessionInfo) {
  return {
    uri: `memory://session/${encodeURIComponent(sessionId)}`,
    name: sessionId,
    description: `${itemCount} ${itemCount === 1 ? 'item' : 'items'}, last changed ${updatedAt}`,
  };
}

/** The lines of the newest items that fit, oldest first. */
function newestLines(items: readonly AnyItem[]): string[] {
  const lines: string[] = [];
  let left = TOKENS.most - estimateTokens(framed([]));
  for (const item of items.toReversed()) {
    const { who, what } = itemText(item);
    const line = entryLine({ speaker: who }, what.length > MAX_SHOWN ? `${cutAt(what, MAX_SHOWN)}…` : what);
    left -= estimateTokens(line) + 1;
    if (left < 0) break;
    lines.push(line);
  }
  return lines.reverse();
}

/** The author and the text of an item, whose shape is up to the framework that wrote it. */
function itemText(item: object): { readonly who: string; readonly what: string } {
  const { role, type, content } = item as Readonly<Record<string, unknown>>;
  const who = [role, type].find((one) => typeof one === 'string') ?? 'item';
  return { who: who as string, what: textOf(content) || JSON.stringify(item) };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.flatMap((block) => (isObject(block) && typeof block.text === 'string' ? [block.text] : [])).join('\n');
}
