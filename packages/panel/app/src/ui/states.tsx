import type { ComponentChildren } from 'preact';
import type { ApiFailure } from '../api/client.ts';

/** There is nothing to show: why, and what to do. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="state">
      <p class="state-title">{title}</p>
      {children && <div class="state-help">{children}</div>}
    </div>
  );
}

/** Something failed: what the server says of it, and a way to try again. */
export function Failure({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  const { code } = error as Partial<ApiFailure>;
  return (
    <div class="state failed" role="alert">
      <p class="state-title">{code === 'OFFLINE' ? 'No connection to the panel' : 'This could not be loaded'}</p>
      <p class="state-help">
        {error.message}
        {code !== undefined && code !== 'OFFLINE' && <span class="code">{code}</span>}
      </p>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Takes the place of lines that are on their way. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}
