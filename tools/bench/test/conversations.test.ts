import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beam } from '../src/conversations/beam.ts';
import { readDataSet } from '../src/conversations/data-set.ts';
import { byCategory } from '../src/conversations/groups.ts';
import { evidenceIds, locomo } from '../src/conversations/locomo.ts';

const conversations = join(import.meta.dirname, 'conversations');
const garden = JSON.parse(readFileSync(join(conversations, 'locomo/garden.json'), 'utf8'));
const allotment = JSON.parse(readFileSync(join(conversations, 'beam/allotment.json'), 'utf8'));

describe('a conversation of LoCoMo', () => {
  it('has an entry per turn with its text, speaker, position and time', () => {
    const { entries } = locomo.read(garden, 'garden');

    expect(entries).toHaveLength(6);
    expect(entries[2]).toEqual({
      content: 'Mira: Orange and white. [shares a photo: a photo of a sack of bulbs]',
      createdAt: '2024-03-04T09:05:00.000Z',
      turn: { thread: 'session 1', index: 2, speaker: 'Mira' },
    });
    expect(entries[4]).toEqual({
      content: 'Otto: Karl came back with a broken mast.',
      createdAt: '2024-05-02T12:30:00.000Z',
      turn: { thread: 'session 2', index: 0, speaker: 'Otto' },
    });
  });

  it('has the questions with evidence, and no unanswerable ones', () => {
    expect(locomo.read(garden, 'garden').questions).toEqual([
      { text: 'What have deer eaten?', category: 'single-hop', evidence: [5] },
      { text: 'When does Karl sail to Norway?', category: 'temporal', evidence: [3] },
      { text: 'What became of the tulips that Mira planted?', category: 'multi-hop', evidence: [0, 5] },
    ]);
  });

  it('is refused if a session has no time', () => {
    expect(() => locomo.read({ ...garden, session_2_date_time: 'in May' }, 'garden')).toThrow('in May');
  });

  it('references evidence in several formats', () => {
    expect(evidenceIds('D1:3')).toEqual(['1:3']);
    expect(evidenceIds('D01:03; D:12:100,D2:0')).toEqual(['1:3', '12:100', '2:0']);
    expect(evidenceIds('D')).toEqual([]);
  });
});

describe('a chat of BEAM', () => {
  const chat = beam.read(allotment, 'allotment');

  it('has an entry per message, whose speaker is its role', () => {
    expect(chat.entries).toHaveLength(4);
    expect(chat.entries[3]).toEqual({
      content: allotment.entries[3].content,
      createdAt: '2025-03-20T00:00:00.000Z',
      turn: { thread: 'session 2', index: 1, speaker: 'user' },
    });
  });

  it('has no time if none is known', () => {
    expect(chat.entries[2]).toEqual({
      content: 'Fleece it is.',
      turn: { thread: 'session 2', index: 0, speaker: 'user' },
    });
  });

  it('has the questions with evidence, without unknown and repeated ids', () => {
    expect(chat.questions.map(({ category, evidence }) => [category, evidence])).toEqual([
      ['knowledge_update', [3, 0]],
      ['information_extraction', [1]],
    ]);
  });

  it('separates unanswerable questions', () => {
    expect(chat.unanswerable).toEqual(['Which neighbour lends me a wheelbarrow?']);
  });
});

describe('a directory', () => {
  let parent: string;
  beforeAll(() => {
    parent = mkdtempSync(join(tmpdir(), 'keepsake-conversations-test-'));
  });
  afterAll(() => rmSync(parent, { recursive: true }));

  function directory(name: string, files: Record<string, unknown>): string {
    const path = join(parent, name);
    mkdirSync(path);
    for (const [file, value] of Object.entries(files)) writeFileSync(join(path, file), JSON.stringify(value));
    return path;
  }

  it('is recognised as LoCoMo or BEAM', () => {
    expect(readDataSet(join(conversations, 'locomo'))).toMatchObject({
      name: 'LoCoMo',
      categories: ['multi-hop', 'temporal', 'open-domain', 'single-hop'],
      conversations: [{ name: 'garden' }],
    });
    const { name, categories, conversations: chats } = readDataSet(join(conversations, 'beam'));
    expect([name, chats.map((chat) => chat.name)]).toEqual(['BEAM', ['allotment']]);
    expect(categories).toContain('knowledge_update');
    expect(categories).not.toContain('abstention');
  });

  it('is read in the order of the numbers in its file names', () => {
    const path = directory('numbers', { '10.json': allotment, '9.json': allotment, 'README.json.md': 'no chat' });

    expect(readDataSet(path).conversations.map(({ name }) => name)).toEqual(['9', '10']);
  });

  it('can contain all conversations of LoCoMo in one file, as published', () => {
    const { qa, ...conversation } = garden;
    const published = [
      { sample_id: 'conv-1', conversation, qa },
      { sample_id: 'conv-2', conversation, qa: qa.slice(0, 1) },
    ];
    const { conversations: read } = readDataSet(directory('published', { 'locomo10.json': published }));

    expect(read.map(({ name, questions }) => [name, questions.length])).toEqual([
      ['conv-1', 3],
      ['conv-2', 1],
    ]);
    expect(read[0]?.entries).toEqual(locomo.read(garden, 'garden').entries);
  });

  it('is refused without a JSON file, with an error that says what it must contain', () => {
    expect(() => readDataSet(directory('empty', {}))).toThrow(
      /contains no JSON file.*session_1 and qa.*entries and questions/,
    );
  });

  it('is refused if a file belongs to neither data set, with an error that names the file', () => {
    const path = directory('odd', { 'allotment.json': allotment, 'odd.json': { session_1: [], questions: [] } });

    expect(() => readDataSet(path)).toThrow(
      /odd\.json contains no conversation.*session_1 and qa.*entries and questions/,
    );
  });

  it('is refused if it mixes data sets', () => {
    const path = directory('mixed', { 'allotment.json': allotment });
    cpSync(join(conversations, 'locomo/garden.json'), join(path, 'garden.json'));

    expect(() => readDataSet(path)).toThrow('mixes data sets');
  });
});

it('results are grouped by category in the order of the data set, without empty categories', () => {
  const results = ['single-hop', 'multi-hop', 'single-hop'].map((category) => ({ category }));

  expect(byCategory(results, locomo.categories).map(([name, some]) => [name, some.length])).toEqual([
    ['all', 3],
    ['multi-hop', 1],
    ['single-hop', 2],
  ]);
});
