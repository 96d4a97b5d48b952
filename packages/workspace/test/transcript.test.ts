import { estimateTokens } from '@keepsake/internal';
import { expect, it } from 'vitest';
import type { Segment } from '../src/transcript/segment.ts';
import { readSegments, renderTranscript } from '../src/transcript/transcript.ts';

function segment(n: number, size = 100): Segment {
  return {
    updatedAt: `2026-05-03T09:00:00.${String(n % 1000).padStart(3, '0')}Z`,
    rolloutId: 'a',
    input: [{ role: 'user', content: `question ${n}` }],
    generatedItems: [
      { type: 'function_call_result', output: `${n} ${'x'.repeat(size)}` },
      { role: 'assistant', content: `answer ${n}` },
    ],
    terminal: { state: 'completed', hasFinalOutput: true },
    finalOutput: `answer ${n}`,
  };
}

const lines = (segments: readonly Segment[]) => segments.map((each) => `${JSON.stringify(each)}\n`).join('');

it('readSegments reads complete lines from an offset, and leaves a torn last line for later', () => {
  const first = lines([segment(1)]);
  const text = `${first}${lines([segment(2)])}{"updatedAt":"2026`;
  const all = readSegments(text, 0);
  expect(all.segments).toEqual([segment(1), segment(2)]);
  expect(all.end).toBe(text.lastIndexOf('\n') + 1);
  expect(readSegments(text, first.length).segments).toEqual([segment(2)]);
  expect(readSegments(text, all.end).segments).toEqual([]);
  const closed = `${text}\n${lines([segment(3)])}`;
  expect(readSegments(closed, all.end)).toMatchObject({ segments: [segment(3)], damagedLines: 1, end: closed.length });
});

it('readSegments reads a replaced transcript from its beginning', () => {
  expect(readSegments(lines([segment(1)]), 1_000_000).segments).toEqual([segment(1)]);
});

it('renderTranscript does not repeat the final output', () => {
  const text = renderTranscript([segment(1), { ...segment(2), finalOutput: { ok: true } }], 1_000);
  expect(text.match(/answer 1/g)).toHaveLength(1);
  expect(text).toContain('"finalOutput":{"ok":true}');
});

/** Fails unless each line is an original record or a mark for omitted records. */
function expectCutByRecords(cut: string, segments: readonly Segment[], maxTokens: number) {
  const whole = new Set(renderTranscript(segments, Infinity).split('\n'));
  const rendered = cut.split('\n');
  for (const line of rendered) {
    const record = JSON.parse(line);
    expect(whole.has(line) || record.leftOut.records >= 1).toBe(true);
  }
  expect(estimateTokens(cut)).toBeLessThanOrEqual(maxTokens + 200);
  return rendered;
}

it('renderTranscript cuts 5 MB in the middle by whole records, and keeps the beginning and the end', () => {
  const segments = Array.from({ length: 1_000 }, (_, n) => segment(n, 5_000));
  expect(lines(segments).length).toBeGreaterThan(5_000_000);
  const cut = expectCutByRecords(renderTranscript(segments, 150_000), segments, 150_000);
  expect(estimateTokens(cut.join('\n'))).toBeGreaterThan(145_000);
  const whole = renderTranscript(segments, Infinity).split('\n');
  const gap = cut.findIndex((line) => 'leftOut' in JSON.parse(line));
  expect(cut.slice(0, gap)).toEqual(whole.slice(0, gap));
  expect(cut.slice(gap + 1)).toEqual(whole.slice(-(cut.length - gap - 1)));
  expect(JSON.parse(cut[gap] ?? '').leftOut.records).toBe(whole.length - (cut.length - 1));
});

it('renderTranscript keeps the beginning and end of a record of 2 MB, wherever it is, and all other records', () => {
  for (const at of [0, 5, 9]) {
    const segments = Array.from({ length: 10 }, (_, n) => segment(n, n === at ? 2_000_000 : 1_000)).map((each, n) =>
      n === at ? { ...each, input: [{ role: 'user', content: `BEGIN ${'y'.repeat(700_000)} END` }] } : each,
    );
    const whole = renderTranscript(segments, Infinity).split('\n');
    const cut = renderTranscript(segments, 150_000).split('\n');
    expect(cut).toHaveLength(whole.length);
    expect(cut.filter((line, n) => line !== whole[n])).toHaveLength(2);
    expect(estimateTokens(cut.join('\n'))).toBeLessThanOrEqual(150_000);
    const short = JSON.parse(cut.find((line) => line.includes('BEGIN')) ?? '').input.content;
    expect(short).toMatch(/^BEGIN y+ … \(\d+ characters left out\) … y+ END$/);
    expect(short.length).toBeGreaterThan(50_000);
  }
});

it('renderTranscript keeps a long record whole if everything fits', () => {
  const segments = [segment(1, 120_000), segment(2)];
  expect(renderTranscript(segments, 150_000)).toContain('x'.repeat(120_000));
});

it('renderTranscript shortens a record of many small values', () => {
  const values = Array.from({ length: 200_000 }, (_, n) => n);
  const cut = renderTranscript([{ ...segment(1), generatedItems: [{ values }] }], 10_000);
  expect(estimateTokens(cut)).toBeLessThan(10_000);
  expect(cut).toContain('[0,1,2,3');
  expect(cut).toContain('199998,199999]');
});
