import type { ComponentChildren } from 'preact';

/** A label and its value, in a list of class `pairs`. Nothing without a value. */
export function Pair({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  if (children === undefined || children === '' || children === false) return null;
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
