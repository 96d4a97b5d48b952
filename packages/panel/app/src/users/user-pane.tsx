import { useState } from 'preact/hooks';
import { PATHS, type UserDetail } from '../../../src/protocol.ts';
import { get, urlOf } from '../api/client.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { usePanel } from '../shell/context.ts';
import { href } from '../shell/router.ts';
import { formatCount } from '../ui/format.ts';
import { Failure, Skeleton } from '../ui/states.tsx';
import { Text } from '../ui/text.tsx';
import { Counts } from './counts.tsx';
import { EraseDialog } from './erase-dialog.tsx';

interface UserPaneProps {
  readonly id: string;
  readonly type: 'user' | 'service';
}

/** Everything that is kept of one user. */
export function UserPane({ id, type }: UserPaneProps) {
  const { status } = usePanel();
  const { data, error, reload } = useLoaded(`${type} ${id}`, (signal) =>
    get<UserDetail>(PATHS.user, { id, type }, signal),
  );
  const [erases, setErases] = useState(false);
  return (
    <>
      <div class="detail-head">
        <h2 class="detail-title">
          <Text text={id} />
        </h2>
        <div class="actions">
          <a
            class="button"
            href={urlOf(PATHS.exportUser, { id, type })}
            download={`${id.replaceAll(/[^\w.-]/g, '_')}.jsonl`}
          >
            Export
          </a>
          {!status.readOnly && (
            <button type="button" class="danger" onClick={() => setErases(true)}>
              Erase…
            </button>
          )}
        </div>
      </div>
      {error && <Failure error={error} retry={reload} />}
      {!data && !error && <Skeleton lines={8} />}
      {data && <Counts counts={data.counts} />}
      {data && <Places user={data} />}
      <p class="hint meta">
        <a href={href('sessions', { tab: 'conversations', q: id })}>Conversations of this user</a>
        {status.parts.sessions && <a href={href('sessions', { user: id, type })}>Sessions of this user</a>}
      </p>
      {erases && (
        <EraseDialog
          id={id}
          type={type}
          close={() => {
            setErases(false);
            reload();
          }}
        />
      )}
    </>
  );
}

function Places({ user: { places } }: { readonly user: UserDetail }) {
  if (places.length === 0) return <p class="muted">No namespace has memories of this user.</p>;
  return (
    <section>
      <h3>Where the memories are</h3>
      <ul class="places">
        {places.map(({ namespace, kind, recordCount }) => (
          <li key={`${kind} ${namespace}`}>
            <a href={href('memories', { ns: namespace })}>
              <Text text={namespace} />
            </a>
            <span class="muted">{kind}</span>
            <span class="figures">{formatCount(recordCount)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
