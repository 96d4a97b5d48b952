import type { OpenedConfig } from '@keepsake/config';

/** Stores what an agent would have learned from two users in a week. */
export async function fill(config: OpenedConfig): Promise<void> {
  const space = await config.space();
  const alice = space.as({ principal: { id: 'alice' }, agent: 'concierge' });
  const bob = space.as({ principal: { id: 'bob' }, agent: 'concierge' });
  const source = { kind: 'fact', speaker: 'user' } as const;
  await alice.memory.put({ id: 'home', content: 'Alice lives in Porto.', metadata: { topic: 'home' }, source });
  await alice.memory.put({ content: 'Alice moved to Lisbon in May.', supersedes: 'home', source });
  await alice.memory.put({ id: 'seat', content: 'Alice prefers aisle seats.', metadata: { topic: 'travel' }, source });
  await bob.memory.put({ id: 'diet', content: 'Bob eats no peanuts.', metadata: { topic: 'food' }, source });
  await bob.pool('org:handbook').put({ content: 'Late check-out is possible until two.' });
  await alice.session('monday').addItems([
    { role: 'user', content: 'Book me a seat to Oslo.' },
    { type: 'function_call', callId: 'call-1', name: 'find_flights', arguments: '{"to":"Oslo"}' },
    { type: 'function_call_result', callId: 'call-1', output: { type: 'text', text: '3 flights' } },
    { role: 'assistant', content: 'I found three flights. The aisle seat costs nothing more.' },
  ]);
  const conversations = await config.conversations();
  const booking = conversations.for('agent', { sessionId: 'booking', userId: 'alice' });
  await booking.save({ status: 'completed', items: [{ role: 'user', content: 'Which flights are there?' }] });
  await booking.save({ status: 'paused', items: [], pauseReason: 'Pay 240 EUR?', checkpoint: { flight: 'OSL-7' } });
}
