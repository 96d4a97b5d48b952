import { type ConversationRow, PATHS } from '../../../src/protocol.ts';
import { get } from '../api/client.ts';
import { usePages } from '../api/use-pages.ts';
import { go, href, type Params } from '../shell/router.ts';
import { More } from '../ui/more.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { Empty, Skeleton } from '../ui/states.tsx';
import { ShortText, Text } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';

export function ConversationList({ params }: { readonly params: Params }) {
  const user = params.q ?? '';
  const pages = usePages<ConversationRow>(`conversations ${user}`, (cursor, signal) =>
    get(PATHS.conversations, { user, cursor }, signal),
  );
  const { items, loading, error } = pages;
  return (
    <>
      <SearchBox
        label="Conversations of the user"
        value={user}
        search={(q) => go('sessions', { tab: 'conversations', q }, 'replace')}
      />
      {loading === 'first' && items.length === 0 && <Skeleton lines={8} />}
      {items.length === 0 && !loading && !error && (
        <Empty title={user ? 'This user has no conversations' : 'There are no conversations yet'}>
          Conversations come from <code>ConversationMemory</code> of <code>@keepsake/conversations</code>.
        </Empty>
      )}
      <ul class="rows-list">
        {items.map(({ kind, sessionId, userId, agentId, summary, updatedAt }) => (
          <li key={`${kind} ${sessionId}`}>
            <a
              href={href('sessions', { tab: 'conversations', q: user, kind, session: sessionId })}
              aria-current={sessionId === params.session && kind === params.kind ? 'true' : undefined}
            >
              <span class="row-title">
                <Text text={sessionId} limit={200} />
              </span>
              {summary && (
                <span class="row-summary">
                  <ShortText shown={summary} />
                </span>
              )}
              <span class="row-meta">
                <span>
                  {kind}
                  {userId && (
                    <>
                      {' · '}
                      <Text text={userId} limit={60} />
                    </>
                  )}
                  {agentId && (
                    <>
                      {' · '}
                      <Text text={agentId} limit={60} />
                    </>
                  )}
                </span>
                <Time at={updatedAt} />
              </span>
            </a>
          </li>
        ))}
      </ul>
      <More pages={pages} what="conversations" />
    </>
  );
}
