import { type Health, PATHS } from '../../../src/protocol.ts';
import { get } from '../api/client.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { usePanel } from '../shell/context.ts';
import type { Params } from '../shell/router.ts';
import { formatBytes, formatCount } from '../ui/format.ts';
import { Failure, Skeleton } from '../ui/states.tsx';
import { Text } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import { Checks } from './checks.tsx';
import { DeadLetters, Outbox, Problems } from './troubles.tsx';

/** Whether all parts answer, how much there is, and what needs somebody. */
export function HealthView(_: { readonly params: Params }) {
  const { status } = usePanel();
  const { data, error, loading, reload } = useLoaded('health', (signal) => get<Health>(PATHS.health, {}, signal));
  return (
    <div class="view health">
      <div class="detail-head">
        <h1>Health</h1>
        <div class="actions">
          {data && (
            <span class="muted">
              Checked <Time at={data.checkedAt} seconds />
            </span>
          )}
          <button type="button" disabled={loading} onClick={reload}>
            Check again
          </button>
        </div>
      </div>
      <p class="lead">
        <Text text={status.store.name} />
        {status.store.description && (
          <>
            {', '}
            <Text text={status.store.description} />
          </>
        )}
      </p>
      {error && <Failure error={error} retry={reload} />}
      {!data && !error && <Skeleton lines={8} />}
      {data && (
        <div aria-busy={loading}>
          <Totals health={data} />
          <Checks checks={data.checks} />
          <Outbox outbox={data.outbox} />
          <DeadLetters letters={data.deadLetters} />
          {data.files && <Problems {...data.files} />}
        </div>
      )}
    </div>
  );
}

function Totals({ health: { counts, files, outbox, deadLetters } }: { readonly health: Health }) {
  const plus = (more: boolean | undefined) => (more ? '+' : '');
  const totals: readonly (readonly [string, string])[] = [
    ['Memories', `${formatCount(counts.records)}${plus(counts.more)}`],
    ['Namespaces', formatCount(counts.namespaces)],
    ...(counts.sessions === undefined
      ? []
      : [['Sessions', `${formatCount(counts.sessions)}${plus(counts.moreSessions)}`] as const]),
    ...(files ? [['On disk', formatBytes(files.bytes)] as const] : []),
    ['In the outbox', formatCount(outbox.reduce((sum, { recordCount }) => sum + recordCount, 0))],
    ['Dead letters', formatCount(deadLetters.length)],
  ];
  return (
    <dl class="counts">
      {totals.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd class="figures">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
