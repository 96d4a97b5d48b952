import { isObject, parseJson } from '@keepsake/internal';
import { textOf } from '../../message-text.ts';
import { brokenInput } from '../broken-input.ts';
import type { FoundEntry } from '../found-entry.ts';
import type { Format, UnknownObject } from './format.ts';
import { isoTime } from './iso-time.ts';
import { digestOf, toFoundEntry } from './utterance.ts';

/** An agent of a Letta agent file. */
export interface LettaAgent {
  readonly name: string;
  readonly messages: readonly UnknownObject[];
  readonly blocks: readonly UnknownObject[];
}

/** Letta agent files (`.af`): the memory blocks of each agent, and what was said in its messages. */
export const letta: Format = {
  name: 'letta',
  matches: isAgentFile,
  *read(file, place) {
    for (const agent of agentsIn(file, place)) {
      yield* blocksOf(agent, place);
      yield* messagesOf(agent, place);
    }
  },
};

function isAgentFile({ agents, blocks, core_memory, messages }: UnknownObject): boolean {
  return (Array.isArray(agents) && Array.isArray(blocks)) || (Array.isArray(core_memory) && Array.isArray(messages));
}

/** The agents of a file of today, with blocks beside them, or of one of before July 2025, which is a single agent. */
export function agentsIn(file: UnknownObject, place: string): LettaAgent[] {
  const agents = Array.isArray(file.agents) ? file.agents : [file];
  const blocks = objectsIn(file.blocks);
  return agents.map((agent: unknown, index) => {
    if (!isObject(agent) || typeof agent.name !== 'string' || agent.name === '') {
      throw brokenInput(`${place}: agent ${index + 1} has no name.`);
    }
    const ids = Array.isArray(agent.block_ids) ? agent.block_ids : [];
    const own = blocks.filter(({ id }) => ids.includes(id));
    return {
      name: agent.name,
      messages: objectsIn(agent.messages),
      blocks: [...own, ...objectsIn(agent.memory_blocks), ...objectsIn(agent.core_memory)],
    };
  });
}

/** What is said in a message, without what Letta packs around it. */
export function saidIn({ role, content, text, tool_calls }: UnknownObject): string {
  const said = textOf(content) || textOf(text);
  if (role === 'user') return unpacked(said);
  // Agents of before 2025-10 speak by this tool, and think in the content.
  const sent = objectsIn(tool_calls).flatMap((call) => {
    const { name, arguments: json } = functionOf(call);
    const message = name === 'send_message' ? fieldOf(json, 'message') : undefined;
    return message === undefined ? [] : [message];
  });
  return sent.length > 0 ? sent.join('\n') : said;
}

/** The function of a call in the format of the Chat Completions API. */
export function functionOf(call: UnknownObject): UnknownObject {
  return isObject(call.function) ? call.function : call;
}

/** Letta puts what a user says, and events such as heartbeats, into JSON. */
function unpacked(said: string): string {
  const packed = said.startsWith('{') ? parseJson(said) : undefined;
  if (!isObject(packed) || typeof packed.type !== 'string') return said;
  return packed.type === 'user_message' && typeof packed.message === 'string' ? packed.message : '';
}

function fieldOf(json: unknown, name: string): string | undefined {
  const value = typeof json === 'string' ? parseJson(json) : undefined;
  const field = isObject(value) ? value[name] : undefined;
  return typeof field === 'string' ? field : undefined;
}

export function objectsIn(list: unknown): UnknownObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function* blocksOf({ name, blocks }: LettaAgent, place: string): Iterable<FoundEntry> {
  for (const [index, { label, value }] of blocks.entries()) {
    const at = `${place}, block ${index + 1} of ${name.slice(0, 60)}`;
    if (typeof label !== 'string' || typeof value !== 'string') {
      const failure = brokenInput(`${at} must have a label and a value.`);
      yield { place: at, skipped: 'broken', failure };
    } else if (value.trim() === '') yield { place: at, skipped: 'blank' };
    // With the value, because a block that changes keeps its label.
    else {
      const id = `import-${digestOf(['letta', name, label, value])}`;
      yield { place: at, record: { id, content: value, metadata: { agent: name, block: label } } };
    }
  }
}

const SPEAKERS: readonly unknown[] = ['user', 'assistant'];

function* messagesOf({ name, messages }: LettaAgent, place: string): Iterable<FoundEntry> {
  let index = 0;
  for (const message of messages) {
    const { role, created_at } = message;
    if (typeof role !== 'string' || !SPEAKERS.includes(role)) continue;
    const text = saidIn(message);
    const utterance = {
      conversation: `letta ${name}`,
      // The ids of messages are numbered separately in each file.
      key: [typeof created_at === 'string' ? created_at : index, role, text],
      index,
      speaker: role,
      text,
      createdAt: isoTime(created_at),
      metadata: { role, agent: name },
    };
    yield toFoundEntry(utterance, `${place}, message ${++index} of ${name.slice(0, 60)}`);
  }
}
