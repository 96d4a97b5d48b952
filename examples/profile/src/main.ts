/**
 * A profile that grows over three sessions:
 *
 *   npm start -w examples/profile
 *
 * What it keeps lies in .keepsake; give another directory as an argument.
 */
import { ConversationMemory } from '@keepsake/conversations';
import { FileStore } from '@keepsake/file';
import { z } from 'zod';
import { scriptedModel } from './scripted-model.ts';

// Every field may be missing: a profile grows. A schema of Valibot or ArkType does as well.
const Profile = z.object({
  name: z.string().optional(),
  home: z.object({ city: z.string(), country: z.string() }).optional(),
  likes: z.array(z.string()).optional().describe('What they like to eat and drink'),
});

const [directory = '.keepsake'] = process.argv.slice(2);
const memory = new ConversationMemory({
  store: new FileStore({ directory, name: 'conversations' }),
  model: scriptedModel,
  userAnalysisMemory: true,
  userProfileSchema: Profile,
});

const SESSIONS = [
  'I am Alice, from Berlin. Where do I get bread on a Sunday?',
  'I have moved to Lisbon, and miss my rye bread.',
  'There is no more rye for me: corn bread it is, with strong coffee.',
];

for (const [place, said] of SESSIONS.entries()) {
  const agent = memory.for('agent', { sessionId: `day ${place + 1}`, userId: 'alice' });
  const { systemPromptInjection } = await agent.prepare();
  console.log(`Session ${place + 1} begins with:\n${systemPromptInjection || '(nothing)'}\n> ${said}\n`);
  const { errors } = await agent.save({
    status: 'completed',
    items: [
      { role: 'user', content: said },
      { role: 'assistant', content: 'Thank you, I will mind that.' },
    ],
  });
  for (const { processor, error } of errors) console.error(processor, error);
}

const profile = await memory.for('agent', { userId: 'alice' }).userMemory?.get();
console.log(`In the end, as version ${profile?.version}: ${JSON.stringify(profile?.data)}`);
