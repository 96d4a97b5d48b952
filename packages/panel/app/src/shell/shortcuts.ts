import { useEffect, useRef } from 'preact/hooks';

const KEY = 'keepsake-shortcuts';

/** Keys and what they do, for the help. */
export const SHORTCUTS: readonly (readonly [keys: string, what: string])[] = [
  ['?', 'Show these shortcuts'],
  ['/', 'Go to the search field'],
  ['g then m, a, s, w, u, h', 'Go to Memories, Ask, Sessions, Workspace, Users, Health'],
  ['↑ ↓, Page up, Page down, Home, End', 'Move in the table or in the tree of namespaces'],
  ['→ ←', 'Open and close a namespace of the tree'],
  ['Enter', 'Open the memory'],
  ['Space, Shift+↑ ↓', 'Select memories'],
  ['e, b, Delete', 'Edit, bury or delete the open memory'],
  ['Esc', 'Close the memory or the dialog'],
];

export function areSingleKeysOn(): boolean {
  return localStorage.getItem(KEY) !== 'off';
}

export function turnSingleKeys(on: boolean): void {
  localStorage.setItem(KEY, on ? 'on' : 'off');
}

/**
 * Calls the handler of a key that is pressed outside of fields and dialogs. Two keys in a row, such as `g m`, are one name.
 * Escape always works; the other keys can be turned off, for people who speak or whose keys repeat.
 */
export function useShortcuts(handlers: Readonly<Record<string, () => void>>): void {
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    let before = '';
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || document.querySelector('dialog[open]') !== null) return;
      if (event.key !== 'Escape' && !areSingleKeysOn()) return;
      const handler = latest.current[`${before} ${event.key}`] ?? latest.current[event.key];
      before = event.key === 'g' ? 'g' : '';
      if (handler === undefined) return;
      event.preventDefault();
      handler();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input:not([type=checkbox]), textarea, select');
}
