import type { ComponentChildren } from 'preact';

/** Says at once what went wrong with a change, beside what was to be changed. */
export function Alert({ children }: { readonly children: ComponentChildren }) {
  return (
    <p class="error" role="alert">
      {children}
    </p>
  );
}
