import { useState } from 'preact/hooks';
import { Dialog } from '../ui/dialog.tsx';
import { areSingleKeysOn, SHORTCUTS, turnSingleKeys } from './shortcuts.ts';

export function ShortcutHelp({ close }: { readonly close: () => void }) {
  const [on, setOn] = useState(areSingleKeysOn);
  return (
    <Dialog title="Keyboard shortcuts" close={close}>
      <dl class="pairs shortcuts">
        {SHORTCUTS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={on}
          onChange={({ currentTarget: { checked } }) => {
            turnSingleKeys(checked);
            setOn(checked);
          }}
        />
        Shortcuts of a single key
      </label>
    </Dialog>
  );
}
