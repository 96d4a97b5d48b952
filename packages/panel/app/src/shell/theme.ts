import { useState } from 'preact/hooks';

const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];
const KEY = 'keepsake-theme';

function savedTheme(): Theme {
  const saved = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === saved) ?? 'system';
}

/** Puts the chosen theme on the page. `system` leaves it to the browser. */
export function applyTheme(theme: Theme = savedTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function useTheme(): readonly [Theme, () => void] {
  const [theme, setTheme] = useState(savedTheme);
  const next = () => {
    const after = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
    localStorage.setItem(KEY, after);
    applyTheme(after);
    setTheme(after);
  };
  return [theme, next];
}
