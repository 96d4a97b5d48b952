import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { estimate } from '../src/recall/bootstrap.ts';
import { evidenceIds, readConversation, readConversations } from '../src/recall/conversation.ts';
import { byCategory, type Marked, marksOf } from '../src/recall/measures.ts';
import { comparison } from '../src/recall/report.ts';
import { keepsake, keepsakeWithoutTurns } from '../src/recall/systems.ts';

const conversations = join(import.meta.dirname, 'conversations');
const garden = JSON.parse(readFileSync(join(conversations, 'garden.json'), 'utf8'));

describe('a conversation', () => {
  it('is an entry a turn, with what was said, by whom, where and when', () => {
    const { entries } = readConversation(garden, 'garden');

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

  it('has the questions whose evidence is there, but not those for what was never said', () => {
    expect(readConversation(garden, 'garden').questions).toEqual([
      { text: 'What have deer eaten?', category: 'single-hop', evidence: [5] },
      { text: 'When does Karl sail to Norway?', category: 'temporal', evidence: [3] },
      { text: 'What became of the tulips that Mira planted?', category: 'multi-hop', evidence: [0, 5] },
    ]);
  });

  it('is refused where it is none', () => {
    expect(() => readConversation({ session_1: [] }, 'odd')).toThrow('odd is no conversation of LoCoMo');
    expect(() => readConversation({ ...garden, session_2_date_time: 'in May' }, 'garden')).toThrow('in May');
  });
});

describe('evidence', () => {
  it('is named in several ways', () => {
    expect(evidenceIds('D1:3')).toEqual(['1:3']);
    expect(evidenceIds('D01:03; D:12:100,D2:0')).toEqual(['1:3', '12:100', '2:0']);
    expect(evidenceIds('D')).toEqual([]);
  });
});

describe('a directory', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'keepsake-recall-test-'));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it('without a conversation is refused', () => {
    expect(() => readConversations(directory)).toThrow('holds no JSON file');
  });

  it('may hold all conversations in one file, as they are published', () => {
    const { qa, ...conversation } = garden;
    const published = [
      { sample_id: 'conv-1', conversation, qa },
      { sample_id: 'conv-2', conversation, qa: qa.slice(0, 1) },
    ];
    writeFileSync(join(directory, 'locomo10.json'), JSON.stringify(published));
    const read = readConversations(directory);

    expect(read.map(({ name, questions }) => [name, questions.length])).toEqual([
      ['conv-1', 3],
      ['conv-2', 1],
    ]);
    expect(read[0]?.entries).toEqual(readConversations(conversations)[0]?.entries);
  });
});

describe('marks', () => {
  it('say what part of the evidence is among the first, and how early the first is', () => {
    const found = [90, 91, 7, 92, 93, 94, 95, 96, 97, 98, 99, 3];

    expect(marksOf(found, [3, 7, 5])).toEqual({ 'R@5': 1 / 3, 'R@10': 1 / 3, 'R@20': 2 / 3, MRR: 1 / 3 });
    expect(marksOf([5], [5])).toEqual({ 'R@5': 1, 'R@10': 1, 'R@20': 1, MRR: 1 });
  });

  it('are 0 where nothing is found, or too late', () => {
    const late = [...Array.from({ length: 20 }, (_, place) => 100 + place), 1];

    expect(marksOf([], [1])).toEqual({ 'R@5': 0, 'R@10': 0, 'R@20': 0, MRR: 0 });
    expect(marksOf(late, [1])).toEqual({ 'R@5': 0, 'R@10': 0, 'R@20': 0, MRR: 0 });
  });

  it('are grouped by category, in the order of LoCoMo, without those that nothing is asked of', () => {
    const groups = byCategory([marked('single-hop', 1), marked('multi-hop', 0), marked('single-hop', 0)]);

    expect(groups.map(([name, some]) => [name, some.length])).toEqual([
      ['all', 3],
      ['multi-hop', 1],
      ['single-hop', 2],
    ]);
  });
});

describe('an estimate', () => {
  it('lies where 95 % of resampled means lie, and is the same every time', () => {
    // The mean of 400 throws of a fair coin: 0.5, with a standard deviation of 0.025.
    const coin = Array.from({ length: 400 }, (_, index) => index % 2);
    const { mean, low, high } = estimate(coin);

    expect(mean).toBe(0.5);
    expect(low).toBeGreaterThan(0.44);
    expect(low).toBeLessThan(0.46);
    expect(high).toBeGreaterThan(0.54);
    expect(high).toBeLessThan(0.56);
    expect(estimate(coin)).toEqual({ mean, low, high });
  });

  it('is certain where all values are the same', () => {
    expect(estimate([0.25, 0.25])).toEqual({ mean: 0.25, low: 0.25, high: 0.25 });
  });
});

it('a difference is taken question by question, with the peer that recalls most', () => {
  const own = { system: keepsake, marked: [marked('temporal', 1), marked('temporal', 0.5)] };
  const without = { system: keepsakeWithoutTurns, marked: [marked('temporal', 1), marked('temporal', 0)] };
  const peer = (name: string, ...values: number[]) => ({
    system: { ...keepsake, name, withTurns: false },
    marked: values.map((value) => marked('temporal', value)),
  });
  const differences = comparison(own, without, [peer('worse', 0, 0), peer('best', 0.75, 0.25)]);

  expect(differences.map(({ of, than, measures }) => [of, than, measures['R@10']])).toEqual([
    [keepsake.name, keepsakeWithoutTurns.name, { mean: 0.25, low: 0, high: 0.5 }],
    [keepsake.name, 'best', { mean: 0.25, low: 0.25, high: 0.25 }],
    [keepsakeWithoutTurns.name, 'best', { mean: 0, low: -0.25, high: 0.25 }],
  ]);
});

function marked(category: Marked['category'], value: number): Marked {
  return { conversation: 'garden', category, marks: { 'R@5': value, 'R@10': value, 'R@20': value, MRR: value } };
}
