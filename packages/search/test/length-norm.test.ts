import { describe, expect, it } from 'vitest';
import { lengthNorm, termShares } from '../src/lexical/bm25.ts';
import {
  FREQUENCY_STEPS,
  frequencyStep,
  LENGTH_STEPS,
  lengthStep,
  quantizedFrequency,
  rankedLength,
} from '../src/lexical/tf-quantizer.ts';
import { WEIGHTS } from '../src/ranking/ranking-weights.ts';

function normOf(lengths: readonly number[]) {
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const squares = lengths.reduce((sum, length) => sum + length ** 2, 0);
  return lengthNorm({ documents: lengths.length, total, squares });
}

describe('lengthNorm', () => {
  it('treats messages of similar length, and a few short facts, as talk', () => {
    for (const lengths of [[15, 15, 15], [8, 15, 22, 14], [1, 9, 3], [5], []]) {
      expect(normOf(lengths)).toMatchObject({ variety: 0, k1: WEIGHTS.k1.talk, b: WEIGHTS.b.talk });
    }
  });

  it('treats long texts among short messages as essays, and interpolates in between', () => {
    expect(normOf([20, 400, 15, 390])).toMatchObject({ variety: 1, k1: WEIGHTS.k1.essays, b: WEIGHTS.b.essays });
    const { variety, b } = normOf([20, 60, 15, 70]);
    expect(variety).toBeGreaterThan(0);
    expect(variety).toBeLessThan(1);
    expect(b).toBeCloseTo(WEIGHTS.b.talk + (WEIGHTS.b.essays - WEIGHTS.b.talk) * variety, 12);
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
    const norm = normOf([20, 400, 15, 390]);
    const shares = termShares(norm);
    for (const [frequency, length] of [
      [1, 1],
      [2, 20],
      [8, 10_938],
    ] as const) {
      const byte = quantizedFrequency(frequency, length);
      expect(byte).toBeLessThan(256);
      expect(byte % 64).toBe(lengthStep(length));
      const { k1, b, average } = norm;
      expect(shares[byte]).toBeCloseTo(
        frequency / (frequency + k1 * (1 - b + (b * rankedLength(length)) / average)),
        12,
      );
    }
    expect(shares).toHaveLength(256);
  });
});
