import { useState } from 'preact/hooks';
import type { ShownText, TextPiece } from '../../../src/protocol.ts';
import { formatCount } from './format.ts';
import { Failure } from './states.tsx';
import { Text } from './text.tsx';

/** Loads the piece of a text that begins at an offset. */
type LoadPiece = (offset: number) => Promise<TextPiece>;

/** A text of any length. What is over the first piece comes when it is asked for, so that a megabyte doesn't hold the page up. */
export function LongText({ shown, load }: { readonly shown: ShownText; readonly load?: LoadPiece }) {
  const [more, setMore] = useState<readonly TextPiece[]>([]);
  const [error, setError] = useState<Error>();
  const [loading, setLoading] = useState(false);
  const last = more.at(-1);
  const next = last === undefined ? (shown.truncated ? shown.text.length : undefined) : last.nextOffset;
  const loadNext = async () => {
    if (load === undefined || next === undefined || loading) return;
    setLoading(true);
    setError(undefined);
    try {
      const piece = await load(next);
      setMore((before) => [...before, piece]);
    } catch (failure) {
      setError(failure as Error);
    }
    setLoading(false);
  };
  return (
    <div class="long-text">
      <div class="piece">
        <Text text={shown.text} />
      </div>
      {more.map(({ text, offset }) => (
        <div class="piece" key={offset}>
          <Text text={text} />
        </div>
      ))}
      {error && <Failure error={error} retry={loadNext} />}
      {next !== undefined && (
        <p class="more">
          <span class="muted">
            {formatCount(next)} of {formatCount(shown.length)} characters
          </span>
          {load && (
            <button type="button" class="quiet" disabled={loading} onClick={loadNext}>
              Show more
            </button>
          )}
        </p>
      )}
    </div>
  );
}
