import { expect, it } from 'vitest';
import { newestFirst } from '../src/chat/newest-first.ts';

type Said = readonly [day: number, content: string, score?: number];

/** Memories found in this order; each was said on the given day of May. */
function found(memories: readonly Said[]) {
  return memories.map(([day, content, score = 1]) => ({
    content,
    score,
    createdAt: `2026-05-${String(day).padStart(2, '0')}T08:00:00.000Z`,
  }));
}

/** The contents in order, with a mark before earlier ones. */
function ordered(...memories: Said[]): string[] {
  return newestFirst(found(memories)).map(({ content, isEarlier }) => (isEarlier ? `earlier: ${content}` : content));
}

it.each([
  ['I live in Lisbon.', 'I moved to Porto.'],
  ['We live in Lisbon, near the river.', "We've just moved to Porto."],
  ['My sister lives in Vienna.', 'My sister moved to Graz.'],
  ['Ada works at Siemens.', 'Ada started at Bosch.'],
  ['I am 34 years old.', 'I turned 35.'],
  ['My phone number is 1234.', 'My new phone number is 5678.'],
  ['My favourite colour is blue.', 'My favourite colour is green now.'],
  ['The meeting with Ada is at nine.', 'The meeting with Ada is at ten.'],
])('after "%s", "%s" comes first', (older, newer) => {
  expect(ordered([1, older], [2, newer, 0.95])).toEqual([newer, `earlier: ${older}`]);
  expect(ordered([2, newer], [1, older, 0.95])).toEqual([newer, `earlier: ${older}`]);
});

it('a newer state comes first even if fewer words match', () => {
  expect(ordered([1, 'I live in Lisbon.', 3], [2, 'I moved to Porto.', 1])[0]).toBe('I moved to Porto.');
});

it.each([
  ['My sister lives in Vienna.', 'I moved to Porto.'],
  ['My sister plays the cello.', 'My brother plays the flute.'],
  ['I have a dog called Bolt.', 'I have a cat called Tom.'],
  ['My bike is in the basement.', 'My car is in the garage.'],
])('"%s" stays before "%s"', (older, newer) => {
  expect(ordered([1, older, 2], [2, newer, 1])).toEqual([older, newer]);
});

it('the order of other memories does not change', () => {
  expect(
    ordered([3, 'I like tea.', 5], [1, 'I live in Lisbon.', 3], [4, 'My cat sleeps.', 2], [2, 'I moved to Porto.', 1]),
  ).toEqual(['I like tea.', 'I moved to Porto.', 'earlier: I live in Lisbon.', 'My cat sleeps.']);
});
