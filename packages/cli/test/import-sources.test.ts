import { KeepsakeStore } from '@keepsake/langgraph';
import { expect, it } from 'vitest';
import { fixture, Imports } from './run-import.ts';
import { useDirectories } from './use-directories.ts';

const temporaryDirectory = useDirectories();

/** Imports a fixture twice: the second import adds nothing. */
async function importTwice(name: string) {
  const imports = new Imports(temporaryDirectory());
  const tally = await imports.memories(fixture(name));
  const again = await imports.memories(fixture(name));
  expect(again).toEqual({ ...tally, added: undefined, alreadyThere: tally.added });
  return { imports, tally };
}

it('mem0 memories keep users apart, and name agents and categories', async () => {
  const { imports, tally } = await importTwice('mem0.json');
  expect(tally).toEqual({ added: 3, expired: 1 });
  expect(await imports.records('u:alice')).toMatchObject([
    { content: 'Is allergic to nuts', createdAt: '2026-03-01T09:00:00.000Z', metadata: { topic: 'food' } },
  ]);
  expect(await imports.records('u:bob')).toMatchObject([
    {
      content: 'Works night shifts',
      createdAt: '2026-03-02T10:00:00.000Z',
      metadata: { agentId: 'planner', categories: ['work'] },
    },
  ]);
  expect(await imports.records()).toMatchObject([{ content: 'Speaks in rhymes', metadata: { agentId: 'poet' } }]);
});

it('mem0 memories one per line go on after a broken one, and stay with their user', async () => {
  const imports = new Imports(temporaryDirectory());
  const { results } = JSON.parse(fixture('mem0.json'));
  const input = [JSON.stringify(results[0]), '{"id":7,"memory":"x"}', JSON.stringify(results[1])].join('\n');
  expect(await imports.memories(input, { namespace: 'u:alice' })).toEqual({
    added: 2,
    broken: [expect.stringContaining('line 2 has an unknown format')],
  });
  expect(await imports.records('u:alice')).toMatchObject([{ content: 'Is allergic to nuts' }]);
  // What belongs to another user does not become Alice's.
  expect(await imports.records('u:alice:u:bob')).toMatchObject([{ content: 'Works night shifts' }]);
});

it('a broken memory in a list of mem0 is reported with its position', async () => {
  const memories = [
    { id: 'a', memory: 'Tea' },
    { id: 1, memory: 'no id' },
  ];
  expect(await new Imports(temporaryDirectory()).memories(JSON.stringify({ results: memories }))).toEqual({
    added: 1,
    broken: ['line 1, memory 2 must be { "id": "…", "memory": "…" }.'],
  });
});

it('a Letta agent file has the blocks of its agents, and what was said', async () => {
  const { imports, tally } = await importTwice('letta.af');
  expect(tally).toEqual({ added: 3, blank: 2 });
  expect(await imports.records()).toMatchObject([
    { content: 'Keeps bees. The blue hive swarmed.', metadata: { agent: 'beekeeper', block: 'human' } },
    {
      content: 'The blue hive swarmed.',
      createdAt: '2026-05-01T08:00:01.000Z',
      metadata: { role: 'user', agent: 'beekeeper' },
      turn: { thread: 'letta beekeeper', index: 0, speaker: 'user' },
    },
    { content: 'Did you catch the swarm?', turn: { index: 2, speaker: 'assistant' } },
  ]);
});

it('a Letta agent file of before July 2025, which is one agent', async () => {
  const imports = new Imports(temporaryDirectory());
  const core_memory = [{ label: 'human', value: 'Ann' }];
  const agent = { name: 'old', core_memory, messages: [{ role: 'user', text: 'Hi' }] };
  expect(await imports.memories(JSON.stringify(agent, undefined, 2))).toEqual({ added: 2 });
  expect(await imports.records()).toMatchObject([{ content: 'Ann' }, { content: 'Hi' }]);
});

it('the memory.jsonl of the MCP memory server is a graph that grows', async () => {
  const { imports, tally } = await importTwice('server-memory.jsonl');
  expect(tally).toEqual({ added: 3 });
  const more = '{"type":"entity","name":"Ilse","entityType":"person","observations":["Has a dog","Keeps bees"]}';
  expect(await imports.memories(`${more}\n${more}`)).toEqual({ extended: 1, alreadyThere: 1 });
  expect((await imports.records()).find(({ id }) => id === 'graph-entity:Ilse')).toMatchObject({
    content: 'Ilse (person)\nKeeps bees\nIs allergic to stings\nHas a dog',
    metadata: { graph: 'entity', name: 'Ilse', entityType: 'person' },
  });
  const broken = await imports.memories('{"type":"entity","name":"x"}\n{"type":"relation"}');
  expect(broken).toEqual({
    broken: [expect.stringContaining('line 1 must be an entity'), expect.stringContaining('line 2 must be a relation')],
  });
});

it('an entity that is twice in a new file has the observations of both', async () => {
  const imports = new Imports(temporaryDirectory());
  const entity = (observation: string) =>
    JSON.stringify({ type: 'entity', name: 'A', entityType: 't', observations: [observation] });
  await imports.memories(`${entity('one')}\n${entity('two')}`);
  expect(await imports.records()).toMatchObject([{ content: 'A (t)\none\ntwo' }]);
});

it('LangGraph items can be read by KeepsakeStore, as they were', async () => {
  const { imports, tally } = await importTwice('langgraph.json');
  expect(tally).toEqual({ added: 2 });
  const items = new KeepsakeStore({ store: imports.store });
  expect(await items.get(['users', 'alice'], 'tea')).toMatchObject({
    value: { text: 'Likes green tea', strength: 2, tags: ['drinks'] },
    createdAt: new Date('2026-03-01T09:00:00.000Z'),
  });
  expect((await items.get(['users', 'bob'], 'tea'))?.value).toEqual({ text: 'Dislikes tea' });
  const large = { namespace: ['docs'], key: 'big', value: { text: 'word '.repeat(20_000) } };
  await imports.memories(JSON.stringify(large));
  expect((await items.get(['docs'], 'big'))?.value).toEqual(large.value);
  expect(await imports.memories(JSON.stringify({ ...large, namespace: [''] }))).toEqual({
    broken: [expect.stringContaining('line 1: Segment 0 of the namespace')],
  });
});

it('a transcript of Claude Code has what the user and Claude said', async () => {
  const { imports, tally } = await importTwice('claude-code.jsonl');
  expect(tally).toEqual({ added: 2, blank: 4 });
  const thread = 'claude-code c0de0000-0000-4000-8000-00000000000a';
  expect(await imports.records()).toMatchObject([
    {
      content: 'Why does the ferry test fail?',
      createdAt: '2026-04-01T10:00:00.000Z',
      metadata: { role: 'user', directory: '/home/ilse/ferry' },
      turn: { thread, index: 0, speaker: 'user' },
    },
    { content: 'It forgets daylight saving time.', turn: { thread, index: 1, speaker: 'assistant' } },
  ]);
});

it('a session of the OpenAI Agents SDK has its messages', async () => {
  const { imports, tally } = await importTwice('agents-session.jsonl');
  expect(tally).toEqual({ added: 2, blank: 3 });
  expect(await imports.records()).toMatchObject([
    { content: 'When does the ferry to Texel leave?', turn: { index: 0, speaker: 'user' } },
    { content: 'At 12:30, then every hour.', turn: { index: 4, speaker: 'assistant' } },
  ]);
});

it('a given format refuses values of others', async () => {
  const line = '{"id":"a","memory":"Tea"}';
  expect(await new Imports(temporaryDirectory()).memories(line, { format: 'langgraph' })).toEqual({
    broken: ['line 1 is not of the format langgraph.'],
  });
  expect(await new Imports(temporaryDirectory()).memories(line, { format: 'mem0' })).toEqual({ added: 1 });
});

const SECRET = 'DB_PASSWORD=hunter2hunter';

it.each([
  ['mem0', { id: 'a', memory: SECRET }, ''],
  ['letta', { agents: [{ name: 'a', block_ids: ['b'] }], blocks: [{ id: 'b', label: 'l', value: SECRET }] }, ''],
  ['server-memory', { type: 'entity', name: 'a', entityType: 't', observations: [SECRET] }, ''],
  ['langgraph', { namespace: ['a'], key: 'k', value: { text: SECRET } }, 'a'],
  ['claude-code', { type: 'user', sessionId: 's', uuid: 'u', message: { content: SECRET } }, ''],
  ['messages', { role: 'user', content: SECRET }, ''],
] as const)('redaction replaces the secrets of %s', async (format, input, namespace) => {
  const imports = new Imports(temporaryDirectory());
  expect(await imports.memories(JSON.stringify(input), { format, redact: true })).toEqual({ added: 1 });
  const text = JSON.stringify(await imports.records(namespace));
  expect(text).toContain('[redacted]');
  expect(text).not.toContain('hunter2');
});
