/**
 * Tells where the run ends that a sticky pattern of one character class matches at a place. For ascending places it reads each
 * run once, however many places are in it.
 */
export function runEnds(text: string, run: RegExp): (at: number) => number {
  let [begin, end] = [0, 0];
  return (at) => {
    if (at >= begin && at < end) return end;
    run.lastIndex = begin = at;
    end = run.test(text) ? run.lastIndex : at;
    return end;
  };
}
