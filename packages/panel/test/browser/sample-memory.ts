import { join } from 'node:path';
import { OpenedConfig } from '@keepsake/config';
import { ConversationMemory } from '@keepsake/conversations';
import { formatNamespace } from '@keepsake/core';
import { FileSessionStore, FileStore } from '@keepsake/file';
import { localDirectory, WorkspaceMemory } from '@keepsake/workspace';

/** The configuration over the files of a directory. */
export function sampleConfig(directory: string): OpenedConfig {
  return new OpenedConfig(
    {
      memory: () => new FileStore({ directory, name: 'memory' }),
      sessions: () => new FileSessionStore({ directory }),
      workspace: () => localDirectory(join(directory, 'workspace')),
      space: { agents: { concierge: { namespace: 'agent:{agent_name}' } } },
    },
    { path: join(directory, 'travel-desk') },
  );
}

/** Fills the directory with the memory of a travel desk: users, what they said, facts, sessions, runs and a workspace. */
export async function fillSampleMemory(directory: string): Promise<void> {
  const config = sampleConfig(directory);
  const store = await config.memory();
  for (const [user, facts] of Object.entries(FACTS)) {
    await store.within(['u', user]).putMany(
      facts.map((content, index) => ({
        id: `${user}-fact-${index}`,
        content,
        createdAt: at(index * 26 + user.length * 3),
        metadata: { topic: TOPICS[index % TOPICS.length] ?? 'travel' },
        source: { kind: 'fact', speaker: 'user', conversation: `trip-to-porto-${user}` },
      })),
    );
    await store.within(['u', user]).putMany(
      CHAT.map(([speaker, content], index) => ({
        id: `${user}-turn-${index}`,
        content,
        createdAt: at(600 + user.length * 40 + index),
        turn: { thread: `trip-to-porto-${user}`, index, speaker },
        source: { kind: 'utterance', speaker, conversation: `trip-to-porto-${user}` },
      })),
    );
  }
  await fillHistory(store.within(['u', 'alice']));
  await fillSessions(config);
  await fillWorkspace(directory);
  await config.close();
}

async function fillHistory(alice: Awaited<ReturnType<OpenedConfig['memory']>>): Promise<void> {
  const metadata = { topic: 'home' };
  const source = { kind: 'fact', speaker: 'user' } as const;
  await alice.put({ id: 'home-berlin', content: 'Alice lives in Berlin.', metadata, source, createdAt: at(5) });
  const porto = { id: 'home-porto', content: 'Alice lives in Porto.', supersedes: 'home-berlin' };
  await alice.put({ ...porto, metadata, source, createdAt: at(900), validFrom: at(900) });
}

async function fillSessions(config: OpenedConfig): Promise<void> {
  const sessions = await config.sessions();
  for (const [user] of Object.entries(FACTS)) {
    await sessions.open(formatNamespace(['u', user, 'chat-0142'])).addItems(SESSION.map((item) => ({ ...item })));
  }
  await sessions.open('kiosk-lisbon-7').addItems([{ role: 'user', content: 'Where is platform 4?' }]);
  const conversations = new ConversationMemory({
    store: await config.memory(),
    fullSessionMemory: true,
    summaryMemory: {
      summariser: {
        summarise: async ({ said }) => summaryOf(JSON.stringify(said)),
      },
    },
  });
  const trip = conversations.for('agent', { sessionId: 'porto-in-may', userId: 'alice', agentId: 'concierge' });
  const said = (content: string, answer: string) =>
    [
      { role: 'user', content },
      { role: 'assistant', content: answer },
    ] as const;
  await trip.save({ status: 'completed', items: [...said('Find me a room by the Douro.', 'Three rooms are free.')] });
  await trip.save({
    status: 'paused',
    pauseReason: 'Waits for Alice to approve 412 € for the room',
    items: [...said('Book the second one.', 'It costs 412 €. Shall I book it?')],
  });
  const other = conversations.for('agent', { sessionId: 'faro-weekend', userId: 'bob', agentId: 'concierge' });
  await other.save({ status: 'completed', items: [...said('Any trains to Faro on Friday?', 'At 8:02 and at 10:32.')] });
  await other.save({
    runId: 'failed',
    status: 'error',
    error: { message: 'The trains could not be found: the timetable did not answer.' },
    items: [...said('And back on Sunday?', 'I look it up.')],
  });
  await conversations.close();
}

function summaryOf(messages: string): string {
  if (messages.includes('Faro')) return 'Bob looks for a train to Faro on Friday.';
  return 'Alice plans four days in Porto in May, and wants a quiet room near the river.';
}

async function fillWorkspace(directory: string): Promise<void> {
  const workspace = localDirectory(join(directory, 'workspace'));
  const model = { generate: () => Promise.reject(new Error('no model is asked')) };
  const memory = new WorkspaceMemory({ workspace, model });
  for (const conversationId of ['refund-policy', 'late-checkout']) {
    await memory.run({ conversationId }).append({
      input: 'How are refunds handled?',
      generatedItems: [],
      terminal: { state: 'completed', hasFinalOutput: false },
      updatedAt: at(0),
    });
  }
  const rollouts = (await memory.conversations()).map(({ rolloutId }) => rolloutId);
  const [first = '', second = ''] = rollouts;
  const { memoriesDir } = memory.layout;
  await workspace.write(`${memoriesDir}/memory_summary.md`, SUMMARY(first, second));
  await workspace.write(`${memoriesDir}/MEMORY.md`, NOTES(first, second));
}

function at(hours: number): string {
  return new Date(Date.UTC(2026, 4, 1, 8) + hours * 3_600_000).toISOString();
}

const TOPICS = ['travel', 'food', 'work', 'family'];

const FACTS: Readonly<Record<string, readonly string[]>> = {
  alice: [
    'Alice drinks green tea without sugar, and no coffee after noon.',
    'Alice is allergic to peanuts.',
    'Alice prefers window seats, and trains to planes for up to six hours.',
    'Alice works as a structural engineer at a firm for bridges.',
    'Her daughter Mia turns seven on 14 June 2026.',
    'Alice speaks Portuguese well enough to order food.',
    'Alice wants quiet rooms, away from lifts.',
    'Alice pays with the company card for trips to Hamburg only.',
  ],
  bob: [
    'Bob is vegetarian.',
    'Bob travels with a folding bicycle, which must be announced on the train.',
    'Bob collects receipts as PDF for his accountant.',
    'Bob likes football, and supports Benfica.',
  ],
  'carla.mendes@example.com': [
    'Carla needs step-free access everywhere.',
    'Carla books for a team of five from Braga.',
    'Carla prefers to be called in the morning.',
  ],
};

const CHAT: readonly (readonly [string, string])[] = [
  ['user', 'I need a place to stay in Porto for four nights, from 8 May.'],
  ['assistant', 'Which part of the city do you like, and what is your limit per night?'],
  ['user', 'By the river if possible, up to 120 € a night. And please: a quiet room.'],
  ['assistant', 'I found three. The second is on a side street, 200 m from the Douro, for 103 € a night.'],
  ['user', 'The second sounds good. Is breakfast included?'],
  ['assistant', 'Yes, from 7:00 to 10:30. They offer green tea as well.'],
];

const SESSION: readonly { readonly [field: string]: string }[] = [
  { role: 'user', content: 'Is there a train from Porto to Lisbon on Friday evening?' },
  {
    type: 'function_call',
    call_id: 'c1',
    name: 'find_trains',
    arguments: '{"from":"Porto","to":"Lisbon","day":"2026-05-08"}',
  },
  {
    type: 'function_call_output',
    call_id: 'c1',
    output: '[{"leaves":"17:47","arrives":"20:58"},{"leaves":"19:47","arrives":"22:58"}]',
  },
  { role: 'assistant', content: 'Yes, at 17:47 and at 19:47. Both take a little over three hours.' },
  { role: 'user', content: 'Take the first, by the window.' },
  { type: 'function_call', call_id: 'c2', name: 'book_seat', arguments: '{"train":"AP 183","seat":"window"}' },
  { type: 'function_call_output', call_id: 'c2', output: '{"booked":true,"coach":3,"seat":"41"}' },
  { role: 'assistant', content: 'Booked: coach 3, seat 41, by the window.' },
];

const SUMMARY = (first: string, second: string) => `# Travel desk

- Refunds take five working days. [rollouts: ${first}]
- A late checkout until 14:00 is free for returning guests. [rollouts: ${second}]
`;

const NOTES = (first: string, second: string) => `# Refunds

- Refunds take five working days, and the money goes back to the card that paid. [rollouts: ${first}]
- Ask for the booking number first: without it, the search takes minutes. [rollouts: ${first}, ${second}]

# Rooms

- A late checkout until 14:00 is free for returning guests. [rollouts: ${second}]
`;
