/** The name that a misspelt one most likely stands for, or `undefined` if none is close. Ignores case. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  let limit = Math.max(1, Math.floor(name.length / 3));
  let nearest: string | undefined;
  for (const one of names) {
    if (Math.abs(one.length - name.length) > limit) continue;
    const distance = editDistance(name.toLowerCase(), one.toLowerCase());
    if (distance > limit) continue;
    limit = distance - 1;
    nearest = one;
  }
  return nearest;
}

/** The least number of characters to insert, delete or replace that makes one text the other (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i++) {
    const above = row;
    const at = (index: number) => above[index] as number;
    row = [i + 1];
    for (let j = 0; j < b.length; j++) {
      row.push(Math.min(at(j) + (a[i] === b[j] ? 0 : 1), at(j + 1) + 1, (row[j] as number) + 1));
    }
  }
  return row[b.length] as number;
}
