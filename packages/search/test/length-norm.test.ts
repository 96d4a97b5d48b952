import { describe, expect, it } from 'vitest';
import { essayShare, isEssay, TERM_SHARES } from '../src/lexical/bm25.ts';
import {
  FREQUENCY_STEPS,
  frequencyStep,
  LENGTH_STEPS,
  lengthStep,
  quantizedFrequency,
  rankedLength,
} from '../src/lexical/tf-quantizer.ts';
import { WEIGHTS } from '../src/ranking/ranking-weights.ts';

function shareOf(lengths: readonly number[]) {
  return essayShare({ documents: lengths.length, essays: lengths.filter(isEssay).length });
}

describe('essayShare', () => {
  it('treats messages, facts and notes as talk, however much their lengths vary, even with a pasted document', () => {
    const pasted = [5_000, ...Array.from({ length: 9 }, () => 8)];
    for (const lengths of [[15, 15, 15], [1, 90, 3], pasted, [5], []]) expect(shareOf(lengths)).toBe(0);
  });

  it('treats answers of several paragraphs as essays, and interpolates in between', () => {
    expect(shareOf(Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? 20 : 400)))).toBe(1);
    expect(shareOf([300, 200, 300, 250, ...Array.from({ length: 6 }, () => 20)])).toBeCloseTo(
      (4 / 20 - 0.15) / 0.15,
      12,
    );
  });
});

describe('quantized lengths and frequencies', () => {
  it('are exact for short texts, and within a tenth of the length up to 10,938 terms', () => {
    for (let length = 1; length <= 10_938; length++) {
      const ranked = rankedLength(length);
      if (length <= 32) expect(ranked).toBe(length);
      expect(Math.abs(ranked - length) / length).toBeLessThan(0.1);
    }
    expect(rankedLength(0)).toBe(1);
    expect(rankedLength(1_000_000)).toBe(LENGTH_STEPS.at(-1));
  });

  it('round to the nearest frequency', () => {
    const nearest = [1, 2, 3, 4, 5, 6, 7, 8, 9, 255].map((frequency) => FREQUENCY_STEPS[frequencyStep(frequency)]);
    expect(nearest).toEqual([1, 2, 3.5, 3.5, 3.5, 8, 8, 8, 8, 8]);
  });

  it('fit into a byte, which is the index of the share', () => {
    for (const [frequency, length] of [
      [1, 1],
      [2, 20],
      [8, 10_938],
    ] as const) {
      const byte = quantizedFrequency(frequency, length);
      expect(byte).toBeLessThan(256);
      expect(byte % 64).toBe(lengthStep(length));
      const saturation = WEIGHTS.saturation + WEIGHTS.length * rankedLength(length);
      expect(TERM_SHARES[byte]).toBeCloseTo(frequency / (frequency + saturation), 12);
    }
    expect(TERM_SHARES).toHaveLength(256);
  });
});
