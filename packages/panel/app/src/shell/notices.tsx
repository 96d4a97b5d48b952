import { useEffect } from 'preact/hooks';
import type { Notice } from './context.ts';

const SHOWN_MS = 10_000;

/** What was done, for ten seconds, with a way to undo it. Failures stay until they are closed. */
export function Notices({ notice, clear }: { readonly notice: Notice | undefined; readonly clear: () => void }) {
  useEffect(() => {
    if (notice === undefined || notice.failed) return;
    const timer = setTimeout(clear, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <div class="notices" role="status" aria-live="polite">
      {notice && (
        <div class={notice.failed ? 'notice failed' : 'notice'}>
          <span>{notice.text}</span>
          {notice.action && (
            <button
              type="button"
              onClick={() => {
                clear();
                notice.action?.run();
              }}
            >
              {notice.action.label}
            </button>
          )}
          <button type="button" class="icon" aria-label="Close the message" onClick={clear}>
            ×
          </button>
        </div>
      )}
    </div>
  );
}
