import type { Steps } from '@keepsake/internal';
import { endsStep } from './ends-step.ts';

/** How many numbers are sorted at once. */
const RUN = 4_096;

/** The indexes of numbers, in the order of the numbers, those of equal ones in their own. Sorts in steps, and only if it must. */
export function* orderBy(numbers: Float64Array): Steps<Uint32Array> {
  const order = new Uint32Array(numbers.length);
  let inOrder = true;
  for (let place = 0; place < order.length; place++) {
    order[place] = place;
    if (place > 0 && (numbers[place - 1] as number) > (numbers[place] as number)) inOrder = false;
    if (endsStep(place)) yield;
  }
  if (inOrder) return order;
  for (let from = 0; from < order.length; from += RUN) {
    order.subarray(from, from + RUN).sort((a, b) => (numbers[a] as number) - (numbers[b] as number) || a - b);
    yield;
  }
  let [source, target] = [order, new Uint32Array(order.length)];
  for (let run = RUN; run < order.length; run *= 2) {
    for (let from = 0; from < order.length; from += 2 * run) yield* merge(source, target, numbers, from, run);
    [source, target] = [target, source];
  }
  return source;
}

/** Merges two runs that follow each other. */
function* merge(
  source: Uint32Array,
  target: Uint32Array,
  numbers: Float64Array,
  from: number,
  run: number,
): Steps<void> {
  const middle = Math.min(from + run, source.length);
  const end = Math.min(middle + run, source.length);
  let [left, right] = [from, middle];
  for (let place = from; place < end; place++) {
    const [a, b] = [source[left] as number, source[right] as number];
    const isLeft = left < middle && (right === end || (numbers[a] as number) <= (numbers[b] as number));
    target[place] = isLeft ? a : b;
    if (isLeft) left++;
    else right++;
    if (endsStep(place)) yield;
  }
}

/**
 * Sorts places by small whole numbers, those of equal ones as in `places`. `ends` are, by number, the ends of its places in the
 * order.
 */
export function* orderByNumber(
  numbers: Uint32Array,
  places: Uint32Array,
): Steps<{ readonly order: Uint32Array; readonly ends: Uint32Array }> {
  let highest = 0;
  for (let place = 0; place < numbers.length; place++) {
    highest = Math.max(highest, numbers[place] as number);
    if (endsStep(place)) yield;
  }
  // First the number of places of each number, then where each begins, then, after it was filled, where it ends.
  const ends = new Uint32Array(highest + 1);
  for (let place = 0; place < numbers.length; place++) {
    const number = numbers[place] as number;
    ends[number] = (ends[number] as number) + 1;
    if (endsStep(place)) yield;
  }
  let sum = 0;
  for (let number = 0; number <= highest; number++) {
    const count = ends[number] as number;
    ends[number] = sum;
    sum += count;
    if (endsStep(number)) yield;
  }
  const order = new Uint32Array(places.length);
  for (let n = 0; n < places.length; n++) {
    const place = places[n] as number;
    const number = numbers[place] as number;
    order[ends[number] as number] = place;
    ends[number] = (ends[number] as number) + 1;
    if (endsStep(n)) yield;
  }
  return { order, ends };
}
