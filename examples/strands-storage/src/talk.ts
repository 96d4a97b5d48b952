/** One process: restores the agent of the session, and sends it one message. */
import { SqliteStore } from '@keepsake/sqlite';
import { KeepsakeStorage } from '@keepsake/strands';
import { Agent, BedrockModel, SessionManager } from '@strands-agents/sdk';
import { LocalModel } from './local-model.ts';

const [directory = '.keepsake', text = ''] = process.argv.slice(2);
const model = process.env.AWS_BEARER_TOKEN_BEDROCK ? new BedrockModel() : new LocalModel();

const store = new SqliteStore({ file: `${directory}/agents.db`, name: 'agents', namespace: ['u', 'alice'] });
const sessionManager = new SessionManager({ sessionId: 'chat-42', storage: new KeepsakeStorage({ store }) });

try {
  const agent = new Agent({ model, sessionManager, printer: false });
  const answer = await agent.invoke(text);
  console.log(`process ${process.pid}\n  You:   ${text}\n  Agent: ${answer}`);
} finally {
  await store.close();
}
