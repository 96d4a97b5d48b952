import { recentItems } from '@keepsake/core';
import { expect, it } from 'vitest';
import { keepsake } from './keepsake.ts';
import { fixture, Imports } from './run-import.ts';
import { useDirectories } from './use-directories.ts';

const temporaryDirectory = useDirectories();

/** Imports a fixture as sessions twice: the second import adds nothing. */
async function importTwice(name: string) {
  const imports = new Imports(temporaryDirectory());
  const tally = await imports.asSessions(fixture(name));
  const again = await imports.asSessions(fixture(name));
  expect(again).toEqual({ ...tally, added: undefined, items: undefined, alreadyThere: tally.added });
  return { imports, tally };
}

const call = (name: string) => ({
  ...{ type: 'function_call', name, callId: expect.any(String), arguments: expect.any(String) },
});
const result = (text: unknown) => ({ type: 'function_call_result', output: { type: 'text', text } });
const user = (content: string) => ({ type: 'message', role: 'user', content });
const assistant = (text: string) => ({ role: 'assistant', content: [{ type: 'output_text', text }] });

it('a session of the OpenAI Agents SDK keeps its items as they are', async () => {
  const { imports, tally } = await importTwice('agents-session.jsonl');
  expect(tally).toEqual({ added: 1, items: 5 });
  const lines = fixture('agents-session.jsonl').trim().split('\n');
  expect(await imports.items()).toEqual(lines.map((line) => JSON.parse(line)));
});

it('a transcript of Claude Code keeps tool calls and their results', async () => {
  const { imports } = await importTwice('claude-code.jsonl');
  const found = await imports.items('claude-code-c0de0000-0000-4000-8000-00000000000a');
  expect(found).toMatchObject([
    user('Why does the ferry test fail?'),
    call('Read'),
    result('expect(hours).toBe(24)'),
    assistant('It forgets daylight saving time.'),
  ]);
  expect(JSON.parse(found[1].arguments)).toEqual({ file_path: '/home/ilse/ferry/test.ts' });
});

it('a ChatGPT export has a session per conversation, with the calls of the branch that the user saw', async () => {
  const { imports, tally } = await importTwice('chatgpt.json');
  expect(tally).toMatchObject({ added: 2 });
  const id = 'chatgpt-b7c1d2e3-0000-4000-8000-000000000001';
  const found = await imports.items(id);
  expect(found).toMatchObject([
    user('Which bread keeps longest?'),
    assistant('Rye sourdough, up to ten days.'),
    user('And this one, in the picture?'),
    call('python'),
    result(expect.any(String)),
    assistant('A ciabatta: eat it today.'),
  ]);
  // A model can go on from it.
  expect(await recentItems(imports.sessions.open(id), {})).toEqual(found);
});

it('a Claude export keeps tool calls where they stand, and attached texts', async () => {
  const { imports } = await importTwice('claude.json');
  expect(await imports.items('claude-c0ffee00-0000-4000-8000-000000000001')).toMatchObject([
    user('Where do I leave the van in Ghent?'),
    assistant('Let me look.'),
    call('search'),
    assistant('At Gentbrugge, it is free.'),
    user('Thanks, booked for Friday.'),
  ]);
  const attachments = [{ file_name: 'list.txt', extracted_content: 'Tent, stove' }, { file_name: 'map.png' }];
  const message = { text: 'What else?', sender: 'human', attachments };
  await imports.asSessions(JSON.stringify([{ uuid: 'c', chat_messages: [message] }]));
  expect(await imports.items('claude-c')).toMatchObject([user('list.txt\n\nTent, stove'), user('What else?')]);
});

it('a Letta agent file has a session per agent', async () => {
  const { imports } = await importTwice('letta.af');
  expect(await imports.items('letta-beekeeper')).toMatchObject([
    user('The blue hive swarmed.'),
    call('core_memory_append'),
    result('{"status": "OK"}'),
    assistant('Did you catch the swarm?'),
  ]);
});

it('messages of the Chat Completions and the Messages API keep their tool calls', async () => {
  const tool_calls = [{ id: 'c1', type: 'function', function: { name: 'clock', arguments: '{}' } }];
  const lines = [
    { role: 'user', content: 'What time is it?' },
    { role: 'assistant', content: null, tool_calls },
    { role: 'tool', tool_call_id: 'c1', content: '12:00' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'zone', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'UTC' }] },
    { role: 'assistant', content: 'Noon.' },
  ];
  const imports = new Imports(temporaryDirectory());
  await imports.asSessions(lines.map((line) => JSON.stringify(line)).join('\n'));
  expect(await imports.items()).toMatchObject([
    user('What time is it?'),
    ...[call('clock'), result('12:00'), call('zone'), result('UTC')],
    assistant('Noon.'),
  ]);
});

it('a session that grew gets its new items, and one that was changed here stays as it is', async () => {
  const imports = new Imports(temporaryDirectory());
  const lines = fixture('claude-code.jsonl').trim().split('\n');
  const id = 'claude-code-c0de0000-0000-4000-8000-00000000000a';
  await imports.asSessions(lines.slice(0, 3).join('\n'));
  expect(await imports.asSessions(lines.join('\n'))).toEqual({ extended: 1, items: 3 });
  await imports.sessions.open(id).addItems([{ role: 'user', content: 'Fixed, thanks.' }]);
  // It has everything, and goes on here.
  expect(await imports.asSessions(lines.join('\n'))).toEqual({ alreadyThere: 1 });
  const said = { type: 'user', sessionId: id.slice('claude-code-'.length), uuid: 'x', message: { content: 'More' } };
  expect(await imports.asSessions([...lines, JSON.stringify(said)].join('\n'))).toEqual({ changed: [id] });
  expect(await imports.items(id)).toHaveLength(5);
});

it('an input with a broken line goes on, and the corrected line is added where it belongs', async () => {
  const imports = new Imports(temporaryDirectory());
  const lines = fixture('agents-session.jsonl').trim().split('\n');
  expect(await imports.asSessions(lines.with(2, '{').join('\n'))).toEqual({
    ...{ added: 1, items: 4 },
    broken: ['line 3 is not JSON.'],
  });
  expect(await imports.asSessions(lines.join('\n'))).toEqual({ extended: 1, items: 1 });
  expect(await imports.items()).toEqual(lines.map((line) => JSON.parse(line)));
});

it('redaction replaces secrets in messages and tool calls, and adds nothing when it runs again', async () => {
  const imports = new Imports(temporaryDirectory());
  const input = [
    { role: 'user', content: 'Use DB_PASSWORD=hunter2hunter for it.' },
    { type: 'function_call', callId: 'c', name: 'sh', arguments: '{"command":"DB_PASSWORD=hunter2hunter psql"}' },
  ].map((line) => JSON.stringify(line));
  expect(await imports.asSessions(input.join('\n'), { redact: true })).toEqual({ added: 1, items: 2 });
  expect(await imports.asSessions(input.join('\n'), { redact: true })).toEqual({ alreadyThere: 1 });
  const text = JSON.stringify(await imports.items());
  expect(text).toContain('[redacted]');
  expect(text).not.toContain('hunter2');
});

it('the command reports sessions, and refuses a namespace and formats without conversations', async () => {
  const cwd = temporaryDirectory();
  const as = ['--as', 'sessions'];
  const input = fixture('agents-session.jsonl');
  expect(await keepsake(['import', '-', ...as], { cwd, input })).toEqual({
    ...{ exitCode: 0, stderr: '' },
    stdout: '1 session added, 0 already there: 5 new items.\n',
  });
  expect(await keepsake(['import', '-', ...as], { cwd, input: fixture('mem0.json') })).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('The format mem0 has no conversations'),
  });
  expect(await keepsake(['import', '-', ...as, '-n', 'u:alice'], { cwd, input })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Sessions have no namespace.'),
  });
});
