/** The median; the mean of the two middle values if their number is even. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The spread of the middle half of the values around the median, relative to it: 0.05 is ±5 %. */
export function spread(values: readonly number[]): number {
  return (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / median(values);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The quantile of the values, interpolated between two of them. */
export function quantile(values: readonly number[], part: number): number {
  if (values.length === 0) throw new RangeError('There are no values.');
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)] as number;
  const above = sorted[Math.ceil(place)] as number;
  return below + (above - below) * (place - Math.floor(place));
}
