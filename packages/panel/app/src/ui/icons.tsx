import type { View } from '../shell/router.ts';

/** Paths in a square of 20, drawn as lines. */
const PATHS: Readonly<Record<View, string>> = {
  memories: 'M4 5.5h12M4 10h12M4 14.5h7',
  ask: 'M9 15.5a6 6 0 1 1 6-6 6 6 0 0 1-6 6Zm4.3-1.7L17 17.5',
  sessions: 'M3.5 4.5h13v9h-7l-3.5 3v-3H3.5Z',
  workspace: 'M3 5.5h5l1.5 2H17v8.5H3Z',
  users: 'M10 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm-6 7c.4-3.2 2.8-5 6-5s5.600 1.800 6 5',
  health: 'M2.500 10.500h3.500l2-5.500 3.500 10 2.200-4.500h3.800',
};

export function ViewIcon({ view }: { readonly view: View }) {
  return (
    <svg class="view-icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={PATHS[view]} />
    </svg>
  );
}
