import type { ComponentChildren } from 'preact';

/** A labelled control. */
export function Field({
  label,
  children,
  hint,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
  readonly hint?: string;
}) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
    <label class="field">
      <span class="label">{label}</span>
      {children}
      {hint && <span class="hint">{hint}</span>}
    </label>
  );
}
