import type { MemoryEntry } from '@keepsake/core';
import { sentencesOf } from './sentences.ts';

/** Words that say nothing about which memory is meant. */
const FILLERS = new Set(
  "a about all am an and are at did do for had has have i i'm in is it it's me my of on our that the this to was we were what where when who with you your".split(
    ' ',
  ),
);

/** The words of a text that tell what it is about, without endings for plural and possession. */
export function contentWords(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu) ?? [])
    .map((word) => word.replace('’', "'"))
    .filter((word) => !FILLERS.has(word))
    .map((word) => word.replace(/'s$/u, '').replace(/(?<=\p{L}{3})s$/u, ''));
}

/** The memories that contain all words of a phrase. */
export function matchesOf(phrase: string, entries: readonly MemoryEntry[]): MemoryEntry[] {
  const wanted = contentWords(phrase);
  if (wanted.length === 0) return [];
  return entries.filter(({ content }) => {
    const words = new Set(contentWords(content));
    return wanted.every((word) => words.has(word));
  });
}

/** Whether a text contains a sentence of any of the contents. */
export function saysAnyOf(text: string, contents: readonly string[]): boolean {
  const said = text.toLowerCase();
  return contents.some((content) =>
    sentencesOf(content).some((sentence) => said.includes(sentence.toLowerCase().replace(/[.!?…]+$/u, ''))),
  );
}
