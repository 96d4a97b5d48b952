import type { RecordStore } from '@keepsake/core';
import { ScriptedModel } from '@keepsake/testing/strands-model';
import { Agent, SessionManager } from '@strands-agents/sdk';
import { KeepsakeStorage } from '../../src/index.ts';

/** Continues the session of an agent. Returns the model's input, the agent's count of turns, and the number of snapshots. */
export async function continueSession(store: RecordStore, says: string, answer: string) {
  const storage = new KeepsakeStorage({ store });
  const model = new ScriptedModel(answer);
  const sessionManager = new SessionManager({ sessionId: 'chat-42', storage, snapshotTrigger: () => true });
  const agent = new Agent({ model, sessionManager, printer: false });
  await agent.invoke(says);
  agent.appState.set('turns', Number(agent.appState.get('turns') ?? 0) + 1);
  await sessionManager.saveSnapshot({ target: agent, isLatest: true });
  const snapshots = await sessionManager.listSnapshotIds({ target: agent });
  return { input: model.inputs[0], turns: agent.appState.get('turns'), snapshots: snapshots.length };
}
