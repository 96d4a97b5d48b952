// Continues the session of a Strands agent in a separate process. Arguments: the address of the store as JSON, the user's
// message and the model's answer. Prints the model's input, and the agent's state.
import { ScriptedModel } from '@keepsake/testing/strands-model';
import { Agent, SessionManager } from '@strands-agents/sdk';
import { KeepsakeStorage } from '../../src/index.ts';
import { openAt } from '../support/backends.ts';

const [address = '', says = '', answer = ''] = process.argv.slice(2);
const { store, close } = openAt(JSON.parse(address));
const storage = new KeepsakeStorage({ store });
const model = new ScriptedModel(answer);
const sessionManager = new SessionManager({ sessionId: 'chat-42', storage, snapshotTrigger: () => true });
const agent = new Agent({ model, sessionManager, printer: false });
await agent.invoke(says);
agent.appState.set('turns', Number(agent.appState.get('turns') ?? 0) + 1);
await sessionManager.saveSnapshot({ target: agent, isLatest: true });
const snapshots = await sessionManager.listSnapshotIds({ target: agent });
process.stdout.write(
  JSON.stringify({ input: model.inputs[0], turns: agent.appState.get('turns'), snapshots: snapshots.length }),
);
await close();
