import type { Fields } from './fields.ts';

/* https://platform.claude.com/docs/en/api/messages, and its guides on tool use and extended thinking */

/** A message of the Claude API. */
export interface ClaudeTurn {
  readonly role: string;
  readonly content: string | readonly Fields[];
}

/** Why the Claude API refuses the messages of a conversation; `undefined` if it accepts them. */
export function anthropicInputFault(messages: readonly ClaudeTurn[]): string | undefined {
  const empty = messages.findIndex(({ content }) => content.length === 0);
  if (empty !== -1) return `messages.${empty}: all messages must have non-empty content.`;
  const turns = merged(messages.filter(({ role }) => role !== 'system'));
  if (turns.length > 0 && turns[0]?.role !== 'user') return 'messages: first message must use the "user" role.';
  const ids = turns.flatMap(({ blocks }) => callIds(blocks));
  if (new Set(ids).size < ids.length) return 'messages: `tool_use` ids must be unique.';
  const fault = hostedFault(turns);
  if (fault !== undefined) return fault;
  for (const [index, { role, blocks }] of turns.entries()) {
    const at = `messages.${index}:`;
    if (blocks.some(({ type, text }) => type === 'text' && text.trim() === ''))
      return 'messages: text content blocks must contain non-whitespace text.';
    const calls = callIds(turns[index - 1]?.blocks);
    const stray = resultIds(blocks).find((id) => !calls.includes(id));
    if (stray !== undefined) return `${at} unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}.`;
    if (role !== 'assistant') continue;
    if (/^(redacted_)?thinking$/.test(blocks.at(-1)?.type))
      return `${at} The final block in an assistant message cannot be \`thinking\`.`;
    const next = turns[index + 1]?.blocks ?? [];
    const first = next.findIndex(({ type }) => type !== 'tool_result');
    const results = resultIds(first === -1 ? next : next.slice(0, first));
    const open = callIds(blocks).filter((id) => !results.includes(id));
    if (open.length > 0)
      return `${at} \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}.`;
  }
  return undefined;
}

/**
 * What is wrong with the tools that the service runs. Their results are in messages of the assistant, also in later ones while
 * the client answers calls of theirs.
 */
function hostedFault(turns: readonly Turn[]): string | undefined {
  const open = new Set<string>();
  for (const [index, { role, blocks }] of turns.entries()) {
    const asks = role === 'user' && blocks.some(({ type }) => type !== 'tool_result');
    for (const { type, id, tool_use_id } of role === 'assistant' ? blocks : []) {
      if (type === 'server_tool_use') open.add(id);
      if (type.endsWith('_tool_result') && !open.delete(tool_use_id))
        return `messages.${index}: unexpected \`tool_use_id\` found in \`${type}\` blocks: ${tool_use_id}.`;
    }
    const isOver = asks || (index === turns.length - 1 && role === 'assistant');
    if (isOver && open.size > 0)
      return `messages: \`server_tool_use\` ids were found without their results: ${[...open].join(', ')}.`;
  }
  return undefined;
}

interface Turn {
  readonly role: string;
  readonly blocks: Fields[];
}

/** Consecutive messages of one role are one turn. */
function merged(messages: readonly ClaudeTurn[]): Turn[] {
  const turns: { role: string; blocks: Fields[] }[] = [];
  for (const { role, content } of messages) {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else turns.push({ role, blocks: [...blocks] });
  }
  return turns;
}

function callIds(blocks: readonly Fields[] = []): string[] {
  return blocks.flatMap(({ type, id }) => (type === 'tool_use' ? id : []));
}

function resultIds(blocks: readonly Fields[]): string[] {
  return blocks.flatMap(({ type, tool_use_id }) => (type === 'tool_result' ? tool_use_id : []));
}
