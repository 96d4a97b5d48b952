import type { JsonObject } from '@keepsake/core';
import { textOf } from '../../message-text.ts';
import type { Format, UnknownObject } from '../formats/format.ts';
import { agentsIn, functionOf, type LettaAgent, letta, objectsIn, saidIn } from '../formats/letta.ts';
import { callItem, messageItem, resultItem } from './items.ts';
import { sessionId } from './session-id.ts';

/** The conversation of each agent of a Letta agent file, with its tool calls. */
export const lettaSessions: Format = {
  ...letta,
  *read(file, place) {
    for (const agent of agentsIn(file, place)) {
      yield { place, session: { id: sessionId('letta', agent.name), items: itemsOf(agent) } };
    }
  },
};

function itemsOf({ messages }: LettaAgent): JsonObject[] {
  const names = new Map<string, string>();
  return messages.flatMap((message) => {
    const { role, tool_calls } = message;
    if (role === 'tool') return resultsOf(message, names);
    if (role !== 'user' && role !== 'assistant') return [];
    const said = saidIn(message);
    const calls = objectsIn(tool_calls).flatMap((call) => {
      const { name, arguments: input } = functionOf(call);
      // What it sends is said already.
      if (typeof call.id !== 'string' || typeof name !== 'string' || name === 'send_message') return [];
      names.set(call.id, name);
      return [callItem(call.id, name, input)];
    });
    return [...(said.trim() === '' ? [] : [messageItem(role, said)]), ...calls];
  });
}

function resultsOf(message: UnknownObject, names: ReadonlyMap<string, string>): JsonObject[] {
  const returns = objectsIn(message.tool_returns);
  const results = returns.length > 0 ? returns : [message];
  return results.flatMap((result) => {
    const { tool_call_id: callId = message.tool_call_id, func_response, content } = result;
    const name = typeof callId === 'string' ? names.get(callId) : undefined;
    const output = typeof func_response === 'string' ? func_response : textOf(content) || textOf(message.content);
    return name === undefined ? [] : [resultItem(callId as string, name, output)];
  });
}
