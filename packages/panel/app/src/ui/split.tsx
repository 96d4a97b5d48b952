import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface SplitProps {
  readonly list: ComponentChildren;
  /** `undefined` while nothing is chosen. */
  readonly detail: ComponentChildren | undefined;
  readonly label: string;
  /** Where nothing is chosen: what to do. */
  readonly hint: ComponentChildren;
  readonly back: string;
  readonly backLabel: string;
}

/** A list, and what is chosen of it beside it. On a narrow page, one of the two. */
export function Split({ list, detail, label, hint, back, backLabel }: SplitProps) {
  const pane = useRef<HTMLElement>(null);
  const isOpen = detail !== undefined;
  useEffect(() => {
    // The list is gone on a narrow page, and focus with it.
    if (isOpen && pane.current && getComputedStyle(pane.current).position === 'fixed') pane.current.focus();
  }, [isOpen]);
  return (
    <div class={isOpen ? 'split open' : 'split'}>
      <section class="split-list">{list}</section>
      <section class="split-detail" aria-label={label} tabIndex={-1} ref={pane}>
        {isOpen && (
          <a class="back" href={back}>
            ← {backLabel}
          </a>
        )}
        {detail ?? <div class="split-hint">{hint}</div>}
      </section>
    </div>
  );
}
