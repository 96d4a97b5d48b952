import type { Status } from '../../../src/protocol.ts';
import { ViewIcon } from '../ui/icons.tsx';
import { Text } from '../ui/text.tsx';
import { href, VIEWS, type View } from './router.ts';
import { type Theme, useTheme } from './theme.ts';

export const TITLES: Readonly<Record<View, string>> = {
  memories: 'Memories',
  ask: 'Ask',
  sessions: 'Sessions',
  workspace: 'Workspace',
  users: 'Users',
  health: 'Health',
};

const THEME_NAMES: Readonly<Record<Theme, string>> = { system: 'System', light: 'Light', dark: 'Dark' };

interface NavigationProps {
  readonly view: View;
  readonly status: Status | undefined;
  readonly showHelp: () => void;
}

export function Navigation({ view, status, showHelp }: NavigationProps) {
  const [theme, nextTheme] = useTheme();
  return (
    <header class="rail">
      <div class="brand">
        <span class="brand-name">Keepsake</span>
        <span class="brand-store" title={status?.store.description}>
          {status ? <Text text={status.name} limit={60} /> : ' '}
        </span>
        {status?.readOnly && <span class="badge">Read-only</span>}
      </div>
      <nav aria-label="Views">
        {VIEWS.map((name) => (
          <a href={href(name)} aria-current={name === view ? 'page' : undefined} key={name}>
            <ViewIcon view={name} />
            {TITLES[name]}
          </a>
        ))}
      </nav>
      <div class="rail-end">
        <button type="button" class="quiet" onClick={nextTheme} aria-label={`Colours: ${THEME_NAMES[theme]}. Change`}>
          <ThemeIcon theme={theme} />
          <span class="rail-word">{THEME_NAMES[theme]}</span>
        </button>
        <button type="button" class="quiet" onClick={showHelp} aria-label="Keyboard shortcuts">
          <kbd>?</kbd>
          <span class="rail-word">Shortcuts</span>
        </button>
      </div>
    </header>
  );
}

function ThemeIcon({ theme }: { readonly theme: Theme }) {
  return (
    <svg class="view-icon" viewBox="0 0 20 20" aria-hidden="true">
      <circle cx="10" cy="10" r="6" />
      {theme !== 'light' && (
        <path class="filled" d={theme === 'dark' ? 'M10 4a6 6 0 1 0 0 12 6 6 0 1 0 0-12' : 'M10 4a6 6 0 0 1 0 12Z'} />
      )}
    </svg>
  );
}
