import type { Model } from '@openai/agents';
import { assistantMessage, modelResponder, ScriptedModel } from '@openai/agents/testing';

/** An agent that needs no key: it says what the user asked of it in earlier runs, as its instructions have it. */
export function localAgent(): Model {
  const answer = modelResponder(({ request }) => {
    const known = [...(request.systemInstructions ?? '').matchAll(/The user asked: (.*?) \[rollouts/g)];
    const said = known.map(([, text]) => text).join(' ');
    return [assistantMessage(said === '' ? 'Understood.' : `You told me: ${said}`)];
  });
  return new ScriptedModel([answer, answer]);
}
