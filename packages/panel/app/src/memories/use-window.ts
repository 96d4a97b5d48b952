import type { RefObject } from 'preact';
import { useCallback, useLayoutEffect, useState } from 'preact/hooks';

/** Rows beyond the edges of what is seen. */
const SPARE = 8;

/** Which rows of a long list are near what is seen. */
export interface RowWindow {
  readonly start: number;
  readonly end: number;
  readonly rowHeight: number;
  /** Whether rows are cards, since the list is narrow. */
  readonly isNarrow: boolean;
  scrollTo(index: number): void;
}

interface Seen {
  readonly top: number;
  readonly height: number;
  readonly width: number;
}

/** All rows are as high as each other, so that their places are known without measuring. */
const ROW_HEIGHT = 36;
const CARD_HEIGHT = 84;
const CARDS_BELOW = 560;

export function useWindow(scroller: RefObject<HTMLElement | null>, count: number): RowWindow {
  const [{ top, height, width }, setSeen] = useState<Seen>({ top: 0, height: 800, width: 1_000 });
  const isNarrow = width < CARDS_BELOW;
  const rowHeight = isNarrow ? CARD_HEIGHT : ROW_HEIGHT;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    let frame = 0;
    const read = () => {
      frame = 0;
      setSeen({ top: element.scrollTop, height: element.clientHeight, width: element.clientWidth });
    };
    const readSoon = () => {
      frame ||= requestAnimationFrame(read);
    };
    read();
    element.addEventListener('scroll', readSoon, { passive: true });
    const observer = new ResizeObserver(readSoon);
    observer.observe(element);
    return () => {
      cancelAnimationFrame(frame);
      element.removeEventListener('scroll', readSoon);
      observer.disconnect();
    };
  }, [scroller]);
  const scrollTo = useCallback(
    (index: number) => {
      const element = scroller.current;
      if (element === null) return;
      const rowTop = index * rowHeight;
      if (rowTop < element.scrollTop) element.scrollTop = rowTop;
      else if (rowTop + rowHeight > element.scrollTop + element.clientHeight) {
        element.scrollTop = rowTop + rowHeight - element.clientHeight;
      }
    },
    [scroller, rowHeight],
  );
  const start = Math.max(0, Math.floor(top / rowHeight) - SPARE);
  const end = Math.min(count, Math.ceil((top + height) / rowHeight) + SPARE);
  return { start, end, rowHeight, isNarrow, scrollTo };
}
