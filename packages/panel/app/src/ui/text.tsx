import { useMemo } from 'preact/hooks';
import type { ShownText } from '../../../src/protocol.ts';
import { splitMarks } from './marks.ts';

/**
 * Text that came from a store, and so from anybody. It is isolated, so that it can't reorder the page around it, and what is
 * invisible in it is shown by name.
 */
export function Text({ text, limit = Number.POSITIVE_INFINITY }: { readonly text: string; readonly limit?: number }) {
  const parts = useMemo(() => splitMarks(text.length > limit ? `${text.slice(0, limit)}…` : text), [text, limit]);
  return (
    <bdi>
      {parts.map((part, index) =>
        typeof part === 'string' ? (
          part
        ) : (
          <span class="mark" title={part.title} key={index}>
            {part.label}
          </span>
        ),
      )}
    </bdi>
  );
}

/** A text of a list, on one line. */
export function ShortText({ shown }: { readonly shown: ShownText }) {
  return <Text text={shown.truncated ? `${shown.text}…` : shown.text} />;
}
