import { useState } from 'preact/hooks';
import { PATHS, type UserRow, type UsersPage } from '../../../src/protocol.ts';
import { get } from '../api/client.ts';
import { usePages } from '../api/use-pages.ts';
import { go, href, type Params } from '../shell/router.ts';
import { plural } from '../ui/format.ts';
import { More } from '../ui/more.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { Split } from '../ui/split.tsx';
import { Empty, Skeleton } from '../ui/states.tsx';
import { Text } from '../ui/text.tsx';
import { UserPane } from './user-pane.tsx';

/** Everybody who has memory: what is kept of them, as a file, and erased. */
export function UsersView({ params }: { readonly params: Params }) {
  const { id, type } = params;
  return (
    <Split
      label="User"
      back={href('users', { q: params.q })}
      backLabel="Users"
      hint={<p>Choose a user to see everything that is kept of them, to export it as a file, or to erase it.</p>}
      list={<UserList params={params} />}
      detail={
        id === undefined ? undefined : (
          <UserPane key={`${type} ${id}`} id={id} type={type === 'service' ? 'service' : 'user'} />
        )
      }
    />
  );
}

function UserList({ params }: { readonly params: Params }) {
  const search = params.q ?? '';
  const [moreSessions, setMoreSessions] = useState(false);
  const pages = usePages<UserRow>(`users ${search}`, async (cursor, signal) => {
    const page = await get<UsersPage>(PATHS.users, { search, cursor }, signal);
    setMoreSessions(page.moreSessions);
    return page;
  });
  const { items, loading, error } = pages;
  return (
    <>
      <h1>Users</h1>
      <SearchBox label="Find a user" value={search} search={(q) => go('users', { ...params, q }, 'replace')} />
      {loading === 'first' && items.length === 0 && <Skeleton lines={8} />}
      {items.length === 0 && !loading && !error && <NoUsers search={search} />}
      <ul class="rows-list">
        {items.map(({ id, type, recordCount, sessions, agents }) => (
          <li key={`${type} ${id}`}>
            <a
              href={href('users', { q: search, id, type })}
              aria-current={id === params.id && type === (params.type ?? 'user') ? 'true' : undefined}
            >
              <span class="row-title">
                <Text text={id} limit={200} /> {type === 'service' && <span class="badge">service</span>}
              </span>
              <span class="row-meta">
                <span class="figures">{plural(recordCount, 'memory', 'memories')}</span>
                {sessions > 0 && <span class="figures">{plural(sessions, 'session')}</span>}
                {agents.length > 0 && <Text text={agents.join(', ')} limit={80} />}
              </span>
            </a>
          </li>
        ))}
      </ul>
      <More pages={pages} what="users" />
      {moreSessions && (
        <p class="hint">
          Older sessions were not looked at. For somebody who has nothing else, search for the whole id.
        </p>
      )}
    </>
  );
}

function NoUsers({ search }: { readonly search: string }) {
  if (search === '') {
    return (
      <Empty title="No user has memory yet">
        Users appear here when memories are kept by user, in namespaces such as <code>u:alice</code>. A configuration
        can name others in <code>space.userNamespaces</code>.
      </Empty>
    );
  }
  return (
    <Empty title="No user is found by this name">
      Somebody who only has old sessions is not in the list.{' '}
      <a href={href('users', { q: search, id: search })}>Look for everything of this id</a>
    </Empty>
  );
}
