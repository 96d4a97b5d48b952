/**
 * A profile that grows over three sessions:
 *
 * npm start -w examples/profile
 *
 * Data is stored in .keepsake, or in the directory that you pass as an argument.
 */
import { ConversationMemory } from '@keepsake/conversations';
import { FileStore } from '@keepsake/file';
import { conversationRunner } from '@keepsake/openai-agents';
import { Agent, setTracingDisabled } from '@openai/agents';
import { assistantMessage, ScriptedModel } from '@openai/agents/testing';
import { z } from 'zod';
import { scriptedModel } from './scripted-model.ts';

// Every field is optional, because a profile grows. Schemas of Valibot or ArkType work as well.
const Profile = z.object({
  name: z.string().optional(),
  home: z.object({ city: z.string(), country: z.string() }).optional(),
  likes: z.array(z.string()).optional().describe('What they like to eat and drink'),
});

setTracingDisabled(true);
const [directory = '.keepsake'] = process.argv.slice(2);
const memory = new ConversationMemory({
  store: new FileStore({ directory, name: 'conversations' }),
  model: scriptedModel,
  userAnalysisMemory: { schema: Profile },
});
const runner = conversationRunner({ memory });

const SESSIONS = [
  'I am Alice, from Berlin. Where do I get bread on a Sunday?',
  'I have moved to Lisbon, and miss my rye bread.',
  'There is no more rye for me: corn bread it is, with strong coffee.',
];

for (const [place, said] of SESSIONS.entries()) {
  const model = new ScriptedModel([[assistantMessage('Thank you, I will remember that.')]]);
  const agent = new Agent({ name: 'Companion', model });
  const { saved } = await runner.run(agent, said, { sessionId: `day ${place + 1}`, userId: 'alice' });
  const instructions = model.firstCall?.request.systemInstructions?.trim();
  console.log(`Session ${place + 1}: the model is told\n${instructions || '(nothing)'}\n> ${said}\n`);
  for (const { processor, error } of (await saved).errors) console.error(processor, error);
}

const profile = await memory.for('agent', { userId: 'alice' }).userMemory?.get();
console.log(`In the end: ${JSON.stringify(profile?.data)}`);
