import { CursorSeal, writeCursor } from '@keepsake/core/adapter';
import { fromStorable, toStorable } from '@keepsake/sql';
import { mutateJson } from '@keepsake/testing/fuzz/json';
import type { Random } from '@keepsake/testing/fuzz/random';
import { fuzzTarget } from '@keepsake/testing/fuzz/target';
import { mutateText } from '@keepsake/testing/fuzz/text';

function cursorOf(random: Random): string {
  const position = mutateJson(random, [12]);
  const cursor = writeCursor('records', Array.isArray(position) ? position : [position as string]);
  return random.chance(0.5) ? mutateText(random, cursor) : cursor;
}

const seal = new CursorSeal('a secret of the database');

export const sealedCursors = fuzzTarget({
  input: cursorOf,
  run: (cursor) => seal.read(cursor, 'records', []),
});

export const storableTexts = fuzzTarget({
  input: (random) => mutateText(random, 'a\\u0000b\u0000\ud800'),
  run(text) {
    if (fromStorable(toStorable(text)) !== text) throw new Error('Another text than the stored one.');
  },
});
