import { href, type Params } from '../shell/router.ts';
import { Split } from '../ui/split.tsx';
import { ConversationList } from './conversation-list.tsx';
import { ConversationPane } from './conversation-pane.tsx';
import { RunPane } from './run-pane.tsx';
import { SessionList } from './session-list.tsx';
import { SessionPane } from './session-pane.tsx';
import { UnfinishedRuns } from './unfinished-runs.tsx';

const TABS = { sessions: 'Sessions', conversations: 'Conversations', runs: 'Unfinished runs' } as const;
type Tab = keyof typeof TABS;

/** Sessions as agents keep them, conversations with their runs, and the runs that wait for somebody. */
export function SessionsView({ params }: { readonly params: Params }) {
  const tab: Tab = params.tab === 'conversations' || params.tab === 'runs' ? params.tab : 'sessions';
  return (
    <Split
      label="Session"
      back={href('sessions', { tab, q: params.q, status: params.status, user: params.user, type: params.type })}
      backLabel={TABS[tab]}
      hint={<p>Choose a session to read what was said, with the calls of tools folded.</p>}
      list={
        <>
          <h1>Sessions</h1>
          <nav class="tabs" aria-label="What to list">
            {Object.entries(TABS).map(([name, title]) => (
              <a key={name} href={href('sessions', { tab: name })} aria-current={name === tab ? 'page' : undefined}>
                {title}
              </a>
            ))}
          </nav>
          {tab === 'sessions' && <SessionList params={params} />}
          {tab === 'conversations' && <ConversationList params={params} />}
          {tab === 'runs' && <UnfinishedRuns params={params} />}
        </>
      }
      detail={detailOf(params)}
    />
  );
}

function detailOf({ kind, session, run, id, tab, q }: Params) {
  if (kind && session && run) return <RunPane key={run} kind={kind} sessionId={session} runId={run} tab={tab} />;
  if (kind && session) return <ConversationPane key={session} kind={kind} sessionId={session} params={{ tab, q }} />;
  return id === undefined ? undefined : <SessionPane key={id} id={id} />;
}
