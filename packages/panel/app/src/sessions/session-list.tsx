import { PATHS, type SessionRow } from '../../../src/protocol.ts';
import { get } from '../api/client.ts';
import { usePages } from '../api/use-pages.ts';
import { usePanel } from '../shell/context.ts';
import { go, href, type Params } from '../shell/router.ts';
import { plural } from '../ui/format.ts';
import { More } from '../ui/more.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { Empty, Skeleton } from '../ui/states.tsx';
import { Text } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';

export function SessionList({ params }: { readonly params: Params }) {
  const { status } = usePanel();
  return status.parts.sessions ? (
    <List params={params} />
  ) : (
    <Empty title="The configuration has no sessions">
      Add <code>sessions</code> to <code>keepsake.config.ts</code>, and start the panel again.
    </Empty>
  );
}

function List({ params }: { readonly params: Params }) {
  const { q: prefix = '', user, type } = params;
  const pages = usePages<SessionRow>(`sessions ${JSON.stringify([prefix, user, type])}`, (cursor, signal) =>
    get(PATHS.sessions, { prefix, user, type, cursor }, signal),
  );
  const { items, loading, error } = pages;
  return (
    <>
      <SearchBox
        label="Sessions whose id begins with"
        value={prefix}
        search={(q) => go('sessions', { q, user, type }, 'replace')}
      />
      {user && (
        <p class="list-filter hint">
          Only those of <Text text={user} limit={120} />. <a href={href('sessions', { q: prefix })}>Show all</a>
        </p>
      )}
      {loading === 'first' && items.length === 0 && <Skeleton lines={8} />}
      {items.length === 0 && !loading && !error && (
        <Empty title={prefix ? 'No session begins with this' : user ? 'No sessions' : 'There are no sessions yet'}>
          {prefix ? 'Ids are compared letter by letter.' : 'A session appears when an agent adds its first item.'}
        </Empty>
      )}
      <ul class="rows-list">
        {items.map(({ sessionId, itemCount, updatedAt }) => (
          <li key={sessionId}>
            <a
              href={href('sessions', { q: prefix, user, type, id: sessionId })}
              aria-current={sessionId === params.id ? 'true' : undefined}
            >
              <span class="row-title">
                <Text text={sessionId} limit={200} />
              </span>
              <span class="row-meta">
                <span class="figures">{plural(itemCount, 'item')}</span>
                <Time at={updatedAt} />
              </span>
            </a>
          </li>
        ))}
      </ul>
      <More pages={pages} what="sessions" />
    </>
  );
}
