/** One process: sends one message to Claude, which has the memory tool. */
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { betaMemoryTool } from '@anthropic-ai/sdk/helpers/beta/memory';
import { localClaude } from './local-claude.ts';
import { openMemory } from './memory.ts';

const [directory = '.keepsake', text = ''] = process.argv.slice(2);
const client = process.env.ANTHROPIC_API_KEY ? new Anthropic() : new Anthropic({ apiKey: 'none', fetch: localClaude });
const { memoryTool, sessionStore, close } = openMemory(directory);

try {
  const { content } = await client.beta.messages.toolRunner({
    model: 'claude-sonnet-5-5',
    max_tokens: 1_000,
    betas: ['context-management-2025-06-27'],
    messages: [{ role: 'user', content: text }],
    tools: [betaMemoryTool(memoryTool)],
    // Each request has the whole conversation: the local stand-in of the API keeps none.
    thread: false,
  });
  const answer = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  console.log(`process ${process.pid}\n  You:   ${text}\n  Agent: ${answer}`);

  // With the Claude Agent SDK, `query({ prompt, options: { sessionStore } })` does this.
  const sessionId = randomUUID();
  const cwd = resolve('.');
  const projectKey = cwd.replaceAll(/[^a-zA-Z0-9]/g, '-');
  const said = [
    { type: 'user', message: { role: 'user', content: text } },
    { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: answer }] } },
  ];
  let parentUuid: string | null = null;
  const entries = said.map((entry) => {
    const uuid = randomUUID();
    const line = { ...entry, uuid, parentUuid, sessionId, cwd, timestamp: new Date().toISOString() };
    parentUuid = uuid;
    return line;
  });
  await sessionStore.append({ projectKey, sessionId }, entries);
} finally {
  await close();
}
