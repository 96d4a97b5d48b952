import { formatTime } from './format.ts';

/** A time in the zone of the reader, with the exact one on hover. */
export function Time({ at, seconds = false }: { readonly at: string; readonly seconds?: boolean }) {
  return (
    <time class="figures" dateTime={at} title={at}>
      {formatTime(at, seconds)}
    </time>
  );
}
