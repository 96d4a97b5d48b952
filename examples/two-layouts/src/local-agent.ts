import type { Model } from '@openai/agents';
import { assistantMessage, modelResponder, ScriptedModel } from '@openai/agents/testing';

/** A local agent that needs no API key: it repeats the user's earlier requests from its instructions. */
export function localAgent(): Model {
  const answer = modelResponder(({ request }) => {
    const known = [...(request.systemInstructions ?? '').matchAll(/The user asked: (.*?) \[rollouts/g)];
    const said = known.map(([, text]) => text).join(' ');
    return [assistantMessage(said === '' ? 'Understood.' : `You told me: ${said}`)];
  });
  return new ScriptedModel([answer, answer]);
}
