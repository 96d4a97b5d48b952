import { useEffect, useRef, useState } from 'preact/hooks';

interface SearchBoxProps {
  readonly label: string;
  readonly value: string;
  readonly search: (text: string) => void;
  /** Keys that mean something beside typing. */
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  readonly maxLength?: number;
}

const TYPING_MS = 150;

/** A field that searches while somebody types, after a short pause. */
export function SearchBox({ label, value, search, onKeyDown, maxLength = 500 }: SearchBoxProps) {
  const [text, setText] = useState(value);
  // Something else may have been chosen during the pause, which the search must not undo.
  const latest = useRef(search);
  latest.current = search;
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => latest.current(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      type="search"
      class="search-field"
      data-search
      aria-label={label}
      placeholder={label}
      maxLength={maxLength}
      value={text}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') search(text);
        onKeyDown?.(event);
      }}
    />
  );
}
