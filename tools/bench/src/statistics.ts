/** The middle value; between the two middle ones where they are even in number. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** How far the middle half of the values lies from the median, as a part of it: 0.05 is ±5 %. */
export function spread(values: readonly number[]): number {
  return (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / median(values);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The value below which this part of the values lies; between two of them where it falls there. */
export function quantile(values: readonly number[], part: number): number {
  if (values.length === 0) throw new RangeError('There are no values.');
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)] as number;
  const above = sorted[Math.ceil(place)] as number;
  return below + (above - below) * (place - Math.floor(place));
}
