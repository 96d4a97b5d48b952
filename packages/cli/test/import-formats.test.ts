import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileStore } from '@keepsake/file';
import { putTimes } from '@keepsake/testing/put-times';
import { describe, expect, it } from 'vitest';
import { keepsake } from './keepsake.ts';
import { useDirectories } from './use-directories.ts';

const temporaryDirectory = useDirectories();
const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name);

/** The imported records in their order. */
async function recordsIn(cwd: string) {
  const store = new FileStore({ directory: join(cwd, '.keepsake'), name: 'test' });
  return (await store.list({ order: 'oldest' })).items;
}

/** Imports a fixture twice: the second import adds nothing. */
async function importFixture(name: string) {
  const cwd = temporaryDirectory();
  const first = await keepsake(['import', fixture(name)], { cwd });
  expect(first).toMatchObject({ exitCode: 0, stderr: '' });
  const records = await recordsIn(cwd);
  const second = await keepsake(['import', fixture(name)], { cwd });
  expect(second.stdout).toMatch(new RegExp(`^0 added, ${records.length} already there`));
  expect(await recordsIn(cwd)).toEqual(records);
  for (const { version } of records) expect(version).toEqual(putTimes(1));
  return { stdout: first.stdout, records };
}

describe.concurrent('an import of', () => {
  it('JSONL keeps roles, speakers, times and positions, and skips messages without text', async () => {
    const { stdout, records } = await importFixture('talk.jsonl');
    expect(stdout).toBe('4 added, 0 already there, 2 skipped (no text).\n');
    const [system, first, second, third] = records;
    expect(system).toMatchObject({ content: 'You help a beekeeper.', metadata: { role: 'system' } });
    expect(first).toMatchObject({
      content: 'The blue hive swarmed on Sunday.',
      createdAt: '2026-05-03T09:12:00.000Z',
      metadata: { role: 'user' },
      turn: { index: 1, speaker: 'user' },
    });
    expect(second).toMatchObject({
      content: 'Did you catch the swarm?',
      createdAt: '2026-05-03T09:12:30.000Z',
      turn: { index: 2, speaker: 'assistant' },
    });
    expect(third).toMatchObject({
      content: "Ilse: Yes, it hangs in Oma's pear tree.\nI fetch it at dusk.",
      metadata: { role: 'user' },
      turn: { index: 5, speaker: 'Ilse' },
    });
    expect(new Set(records.map(({ turn }) => turn?.thread)).size).toBe(1);
  });

  it('JSONL of a group chat keeps the names of its people, but not those of tools', async () => {
    const cwd = temporaryDirectory();
    const lines = [
      { role: 'user', name: 'Bob', content: 'The boat leaks.' },
      { role: 'user', name: 'Bob', speaker: 'Bob of the harbour', content: 'It is the old one.' },
      { role: 'assistant', name: 'Guide', content: 'Bail it out.' },
      { role: 'tool', name: 'weather', content: 'Rain at noon.' },
      { role: 'user', name: 7, content: 'It rains.' },
    ];
    const input = lines.map((line) => JSON.stringify(line)).join('\n');
    expect(await keepsake(['import', '-'], { cwd, input })).toMatchObject({ exitCode: 0 });
    expect((await recordsIn(cwd)).map(({ turn }) => turn?.speaker)).toEqual([
      ...['Bob', 'Bob of the harbour', 'Guide', 'tool', 'user'],
    ]);
  });

  it('a ChatGPT export keeps the messages of the branch that the user saw', async () => {
    const { stdout, records } = await importFixture('chatgpt.json');
    expect(stdout).toBe('5 added, 0 already there, 1 skipped (no text).\n');
    const thread = 'chatgpt b7c1d2e3-0000-4000-8000-000000000001';
    expect(records.map(({ content, createdAt, metadata, turn }) => ({ content, createdAt, metadata, turn }))).toEqual([
      {
        content: 'Which bread keeps longest?',
        createdAt: '2026-01-01T10:00:00.250Z',
        metadata: { role: 'user', title: 'Bread' },
        turn: { thread, index: 0, speaker: 'user' },
      },
      {
        content: 'Rye sourdough, up to ten days.',
        createdAt: '2026-01-01T10:00:05.500Z',
        metadata: { role: 'assistant', title: 'Bread' },
        turn: { thread, index: 1, speaker: 'assistant' },
      },
      {
        content: 'And this one, in the picture?',
        createdAt: '2026-01-01T10:03:20.000Z',
        metadata: { role: 'user', title: 'Bread' },
        turn: { thread, index: 2, speaker: 'user' },
      },
      {
        content: 'A ciabatta: eat it today.',
        createdAt: '2026-01-01T10:03:23.750Z',
        metadata: { role: 'assistant', title: 'Bread' },
        turn: { thread, index: 4, speaker: 'assistant' },
      },
      {
        // Audio, without a time, a title or a current node.
        content: 'Set a timer for the dough.',
        createdAt: '2026-01-01T20:40:00.000Z',
        metadata: { role: 'user' },
        turn: { thread: 'chatgpt b7c1d2e3-0000-4000-8000-000000000002', index: 0, speaker: 'user' },
      },
    ]);
  });

  it('a ChatGPT voice chat keeps what was said, and neither pointers to audio nor their details', async () => {
    const transcription = (text: unknown, direction = 'in') => ({
      content_type: 'audio_transcription',
      ...{ text, direction, decoding_id: null },
    });
    const audio = {
      content_type: 'audio_asset_pointer',
      asset_pointer: 'sediment://file_1',
      format: 'wav',
      text: 'no',
    };
    const video = {
      content_type: 'real_time_user_audio_video_asset_pointer',
      ...{ frames_asset_pointers: [], video_container_asset_pointer: null, audio_asset_pointer: audio, text: 'no' },
    };
    const turns: [role: string, parts: unknown[]][] = [
      ['user', [transcription('What sings there?'), video]],
      ['assistant', [transcription('A wren.', 'out'), audio]],
      ['user', [video, transcription('And'), audio, 'typed', transcription('there?')]],
      ['user', [audio, video]],
      ['user', [transcription(' ')]],
      [
        'user',
        [transcription({ toString: 1 }), transcription(null), { content_type: { toString: 1 } }, null, ['x'], 7],
      ],
      ['assistant', [transcription('A robin.', 'out')]],
    ];
    const mapping = Object.fromEntries(
      turns.map(([role, parts], n) => {
        const message = { id: `m${n}`, author: { role }, create_time: 1_767_261_600 + n, content: { parts } };
        return [`m${n}`, { id: `m${n}`, parent: n === 0 ? null : `m${n - 1}`, children: [`m${n + 1}`], message }];
      }),
    );
    const chats = ['one', 'two'].map((id) => ({ id, title: id, mapping, current_node: `m${turns.length - 1}` }));
    const cwd = temporaryDirectory();
    const { stdout } = await keepsake(['import', '-'], { cwd, input: JSON.stringify(chats) });
    expect(stdout).toBe('8 added, 0 already there, 6 skipped (no text).\n');
    const records = await recordsIn(cwd);
    const said = ['What sings there?', 'A wren.', 'And\ntyped\nthere?', 'A robin.'];
    expect(records.map(({ content, turn }) => [turn?.thread, turn?.index, content])).toEqual(
      ['one', 'two'].flatMap((id) => said.map((text, n) => [`chatgpt ${id}`, [0, 1, 2, 6][n], text])),
    );
    expect(records.map(({ turn }) => turn?.speaker).slice(0, 4)).toEqual(['user', 'assistant', 'user', 'assistant']);
  });

  it('a Claude export keeps the text of its blocks', async () => {
    const { stdout, records } = await importFixture('claude.json');
    expect(stdout).toBe('3 added, 0 already there, 1 skipped (no text).\n');
    const thread = 'claude c0ffee00-0000-4000-8000-000000000001';
    expect(records.map(({ content, createdAt, metadata, turn }) => ({ content, createdAt, metadata, turn }))).toEqual([
      {
        content: 'Where do I leave the van in Ghent?',
        createdAt: '2026-02-01T08:00:01.123Z',
        metadata: { role: 'user', title: 'Trip to Ghent' },
        turn: { thread, index: 0, speaker: 'user' },
      },
      {
        content: 'Let me look.\nAt Gentbrugge, it is free.',
        createdAt: '2026-02-01T08:00:09.500Z',
        metadata: { role: 'assistant', title: 'Trip to Ghent' },
        turn: { thread, index: 1, speaker: 'assistant' },
      },
      {
        content: 'Thanks, booked for Friday.',
        createdAt: '2026-02-01T08:02:00.000Z',
        metadata: { role: 'user', title: 'Trip to Ghent' },
        turn: { thread, index: 3, speaker: 'user' },
      },
    ]);
  });

  it('the attachments of a Claude export are records beside their message', async () => {
    const cwd = temporaryDirectory();
    const attachments = [{ file_name: 'list.txt', extracted_content: 'Tent, stove' }, { file_name: 'map.png' }];
    const message = { uuid: 'm', text: 'What else?', sender: 'human', created_at: '2026-02-01T08:00:00Z', attachments };
    const input = JSON.stringify([{ uuid: 'c', name: 'Camping', chat_messages: [message] }]);
    expect((await keepsake(['import', '-'], { cwd, input })).stdout).toBe('2 added, 0 already there.\n');
    expect((await keepsake(['import', '-'], { cwd, input })).stdout).toBe('0 added, 2 already there.\n');
    expect(await recordsIn(cwd)).toMatchObject([
      { content: 'What else?', metadata: { role: 'user', title: 'Camping' }, turn: { index: 0 } },
      {
        content: 'list.txt\n\nTent, stove',
        createdAt: '2026-02-01T08:00:00.000Z',
        metadata: { role: 'user', title: 'Camping', attachment: 'list.txt' },
        turn: { thread: 'claude c', index: 0, speaker: 'user' },
      },
    ]);
  });

  it('a LoCoMo file has one thread per session, with names and captions', async () => {
    const { stdout, records } = await importFixture('locomo.json');
    expect(stdout).toBe('3 added, 0 already there.\n');
    expect(records).toMatchObject([
      {
        content: 'Ann: Look at my kayak! [shares a photo: a red kayak]',
        createdAt: '2023-01-20T16:04:00.000Z',
        metadata: { session: 1, dia_id: 'D1:1' },
        turn: { index: 0, speaker: 'Ann' },
      },
      { content: 'Ben: Lovely. Does it leak?', createdAt: '2023-01-20T16:05:00.000Z', turn: { index: 1 } },
      {
        content: 'Ben: I bought a canoe, out of envy.',
        createdAt: '2023-02-03T00:30:00.000Z',
        metadata: { session: 2, dia_id: 'D2:1' },
        turn: { index: 0, speaker: 'Ben' },
      },
    ]);
    const [first, second, third] = records.map(({ turn }) => turn?.thread);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  it('the published LoCoMo, an array of samples on one line, gives the same records', async () => {
    const cwd = temporaryDirectory();
    const { qa, ...conversation } = JSON.parse(readFileSync(fixture('locomo.json'), 'utf8'));
    const input = JSON.stringify([{ sample_id: 'conv-1', conversation, qa }]);
    expect((await keepsake(['import', '-'], { cwd, input })).stdout).toBe('3 added, 0 already there.\n');
    expect((await keepsake(['import', fixture('locomo.json')], { cwd })).stdout).toMatch(/^0 added, 3 already there/);
  });

  it('an array of messages is one conversation, like JSONL', async () => {
    const cwd = temporaryDirectory();
    const messages = [
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'Two' },
    ];
    await keepsake(['import', '-'], { cwd, input: JSON.stringify(messages, undefined, 2) });
    const again = await keepsake(['import', '-'], {
      cwd,
      input: messages.map((one) => JSON.stringify(one)).join('\n'),
    });
    expect(again.stdout).toMatch(/^0 added, 2 already there/);
  });

  it('an empty input is an error, adds nothing and creates no directory', async () => {
    const cwd = temporaryDirectory();
    for (const input of ['', '\n \n']) {
      expect(await keepsake(['import', '-'], { cwd, input })).toMatchObject({
        exitCode: 1,
        stdout: '0 added, 0 already there.\n',
        stderr: 'keepsake: The input is empty.\n',
      });
    }
    expect(await keepsake(['import', '-'], { cwd, input: '[]' })).toMatchObject({
      exitCode: 0,
      stdout: '0 added, 0 already there.\n',
    });
    expect(await recordsIn(cwd)).toEqual([]);
  });

  it.each([
    ['a number', '7', 'line 1 has an unknown format'],
    ['an object of unknown shape', '{"text":"Hi"}', 'line 1 has an unknown format'],
    ['an item of unknown shape', '[{"role":"user","content":"Hi"},["x"]]', 'item 2 has an unknown format'],
    ['a message without content', '{"role":"user"}', 'line 1 must be { "role": "user", "content": '],
    ['a time without a zone', '{"role":"user","content":"Hi","createdAt":"2026-01-01"}', 'line 1: record.createdAt'],
    ['a truncated array', '[{"role":"user","content":"Hi"},', 'The file ends in the middle'],
    ['a truncated object', '{\n"speaker_a": "Ann",', 'The file ends in the middle'],
    ['a truncated first line', '{"role":"user","content":"Hi\n{"role":"user","content":"Hi"}', 'line 1 is not JSON'],
    ['text', 'Dear diary', 'line 1 is not JSON'],
    [
      'a Claude conversation whose id is an object',
      '{"uuid":{"a":1},"name":"x","chat_messages":[{"sender":"human","text":"Hi"}]}',
      'the id of the conversation is an object, not a text',
    ],
    [
      'a ChatGPT conversation whose title is a list',
      '{"title":["x"],"mapping":{"a":{"message":{"author":{"role":"user"},"content":{"parts":["Hi"]}}}}}',
      'the title of the conversation is an object, not a text',
    ],
    ['a zip file', 'PK\u0003\u0004…', 'This is a zip file'],
    ['UTF-16', Buffer.from('\ufeff{"role":"user","content":"Hi"}', 'utf16le'), 'This is UTF-16'],
    ['Latin-1', Buffer.from('{"role":"user","content":"Käse"}', 'latin1'), 'line 1 is not UTF-8'],
    [
      'a LoCoMo file without a time',
      '{"session_1":[{"speaker":"Ann","text":"Hi"}]}',
      'session_1_date_time must be a time',
    ],
    [
      'a LoCoMo file whose time is after the year 9999',
      '{"session_1":[{"speaker":"Ann","text":"Hi"}],"session_1_date_time":"1:56 pm on 8 May, 12023"}',
      'session_1_date_time must be before the year 10000',
    ],
    [
      'a LoCoMo file whose later turns are after the last time that a date can have',
      '{"session_1":[{"speaker":"Ann"},{"speaker":"Ben","text":"Hi"}],"session_1_date_time":"12:00 am on 13 September, 275760"}',
      'session_1_date_time must be before the year 10000',
    ],
    [
      'a LoCoMo file whose last turns are after the year 9999',
      '{"session_1":[{"speaker":"Ann","text":"Hi"},{"speaker":"Ben","text":"Ho"}],"session_1_date_time":"11:59 pm on 31 December, 9999"}',
      'session_1_date_time must be before the year 10000',
    ],
    [
      'a Claude message whose sender is an object',
      '{"uuid":"a","name":"x","chat_messages":[{"sender":{"toString":1},"text":"Hi"}]}',
      'message 1: the sender is an object, not a text',
    ],
    [
      'a LoCoMo file whose time is an object',
      '{"session_1":[{"speaker":"Ann","text":"Hi"}],"session_1_date_time":{"toString":1}}',
      'session_1_date_time is an object, not a text',
    ],
    [
      'a LoCoMo turn whose text is an object',
      '{"session_1":[{"speaker":"Ann","text":{"toString":1}}],"session_1_date_time":"1:56 pm on 8 May, 2023"}',
      'turn 1: the text is an object, not a text',
    ],
    [
      'a record whose expiry is an object',
      '{"id":"a","content":"Hi","expiresAt":{"toString":1}}',
      'line 1: record.ttlMs',
    ],
  ])('%s is refused with a clear message', async (_, input, words) => {
    const ended = await keepsake(['import', '-'], { cwd: temporaryDirectory(), input });
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain(words);
    expect(ended.stderr.split('\n').length).toBeLessThanOrEqual(3);
  });
});
