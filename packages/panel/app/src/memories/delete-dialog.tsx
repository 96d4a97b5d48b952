import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Alert } from '../ui/alert.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { plural } from '../ui/format.ts';

interface DeleteDialogProps {
  readonly versions: number;
  readonly remove: () => Promise<void>;
  readonly close: () => void;
  /** The beginning of the text. */
  readonly children: ComponentChildren;
}

export function DeleteDialog({ versions, remove, close, children }: DeleteDialogProps) {
  const [error, setError] = useState<Error>();
  const confirm = () => remove().catch(setError);
  return (
    <Dialog title="Delete this memory?" close={close}>
      <blockquote>{children}</blockquote>
      <p>
        This is final{versions > 1 ? `, and removes all ${plural(versions, 'version')}` : ''}. To keep it without
        recalling it, bury it instead.
      </p>
      {error && <Alert>{error.message}</Alert>}
      <footer>
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="danger solid" onClick={confirm}>
          Delete
        </button>
      </footer>
    </Dialog>
  );
}
