// Starts concurrent runs on one session. Arguments: a directory, a session id and the input of each run.
import { Agent, run, setTracingDisabled } from '@openai/agents';
import { assistantMessage, modelResponder, ScriptedModel } from '@openai/agents/testing';
import { FileSession } from '../../src/index.ts';

setTracingDisabled(true);
const [directory = '', sessionId = '', ...inputs] = process.argv.slice(2);
await Promise.all(
  inputs.map((input) => {
    const model = new ScriptedModel([modelResponder(() => [assistantMessage(`Answer to ${input}`)])]);
    return run(new Agent({ name: 'Shop', model }), input, { session: new FileSession({ directory, sessionId }) });
  }),
);
