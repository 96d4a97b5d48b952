// A checkpoint and an item come back, from another saver and another store on the same records.
import assert from 'node:assert/strict';
import { InMemoryStore } from '@keepsake/in-memory';
import { KeepsakeSaver, KeepsakeStore } from '@keepsake/langgraph';

const records = new InMemoryStore({ name: 'memory' });
const checkpoint = {
  ...{ v: 4, id: '1f0c86a1-7d1b-6dd0-8000-000000000000', ts: new Date().toISOString(), versions_seen: {} },
  ...{ channel_values: { step: 1 }, channel_versions: { step: 1 } },
};
const config = await new KeepsakeSaver({ store: records }).put(
  { configurable: { thread_id: 'alice' } },
  checkpoint,
  { source: 'input', step: -1, parents: {} },
  { step: 1 },
);
const tuple = await new KeepsakeSaver({ store: records }).getTuple(config);
assert.deepEqual(tuple?.checkpoint.channel_values, { step: 1 });

await new KeepsakeStore({ store: records }).put(['users', 'alice'], 'seat', { text: 'Prefers aisle seats' });
const found = await new KeepsakeStore({ store: records }).search(['users'], { query: 'aisle' });
assert.deepEqual(
  found.map(({ value }) => value),
  [{ text: 'Prefers aisle seats' }],
);
