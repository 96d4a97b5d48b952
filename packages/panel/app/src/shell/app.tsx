import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Status } from '../../../src/protocol.ts';
import { loadStatus } from '../api/client.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { AskView } from '../ask/ask-view.tsx';
import { HealthView } from '../health/health-view.tsx';
import { MemoriesView } from '../memories/memories-view.tsx';
import { SessionsView } from '../sessions/sessions-view.tsx';
import { Failure } from '../ui/states.tsx';
import { UsersView } from '../users/users-view.tsx';
import { WorkspaceView } from '../workspace/workspace-view.tsx';
import { type Notice, Panel } from './context.ts';
import { Navigation, TITLES } from './navigation.tsx';
import { Notices } from './notices.tsx';
import { go, type Params, useRoute, type View } from './router.ts';
import { ShortcutHelp } from './shortcut-help.tsx';
import { useShortcuts } from './shortcuts.ts';

const CONTENTS: Readonly<Record<View, (props: { readonly params: Params }) => preact.JSX.Element>> = {
  memories: MemoriesView,
  ask: AskView,
  sessions: SessionsView,
  workspace: WorkspaceView,
  users: UsersView,
  health: HealthView,
};

export function App() {
  const { view, params } = useRoute();
  const { data: status, error, reload } = useLoaded('status', loadStatus);
  const [helps, setHelps] = useState(false);
  useShortcuts({
    '?': () => setHelps(true),
    '/': () => document.querySelector<HTMLElement>('[data-search]')?.focus(),
    'g m': () => go('memories'),
    'g a': () => go('ask'),
    'g s': () => go('sessions'),
    'g w': () => go('workspace'),
    'g u': () => go('users'),
    'g h': () => go('health'),
  });
  const main = useViewTitle(view, status);
  const [notice, setNotice] = useState<Notice>();
  const notify = useCallback((next: Notice) => setNotice(next), []);
  // What was done is over with the view where it was done. A failure is not.
  useEffect(() => setNotice((shown) => (shown?.failed ? shown : undefined)), [view]);
  const panel = useMemo(() => status && { status, notify }, [status, notify]);
  const Contents = CONTENTS[view];
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <Navigation view={view} status={status} showHelp={() => setHelps(true)} />
      <main id="main" ref={main} tabIndex={-1} aria-label={TITLES[view]}>
        {error && <Failure error={error} retry={reload} />}
        {panel && (
          <Panel.Provider value={panel}>
            <Contents params={params} key={view} />
          </Panel.Provider>
        )}
      </main>
      <Notices notice={notice} clear={() => setNotice(undefined)} />
      {helps && <ShortcutHelp close={() => setHelps(false)} />}
    </div>
  );
}

/** Names the page after its view, and moves focus to a view that was gone to, so that screen readers read it. */
function useViewTitle(view: View, status: Status | undefined) {
  const main = useRef<HTMLElement>(null);
  const shown = useRef(view);
  useEffect(() => {
    document.title = `${TITLES[view]} · ${status?.name ?? 'Keepsake'}`;
    if (shown.current !== view) main.current?.focus({ preventScroll: true });
    shown.current = view;
  }, [view, status]);
  return main;
}
