import type { RunRow, RunStatus } from '../../../src/protocol.ts';
import { href, type Params } from '../shell/router.ts';
import { Text } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';

interface RunLinkProps {
  readonly run: RunRow;
  readonly params: Params;
  /** Where runs of several sessions are listed. */
  readonly withSession?: boolean;
  readonly current?: boolean;
}

/** A run in a list. */
export function RunLink({ run, params, withSession = false, current = false }: RunLinkProps) {
  const { kind, sessionId, runId, status, pauseReason, error, updatedAt } = run;
  return (
    <li>
      <a
        href={href('sessions', { ...params, kind, session: sessionId, run: runId })}
        aria-current={current ? 'true' : undefined}
      >
        <span class="row-title">
          <StatusBadge status={status} /> <Text text={withSession ? `${sessionId} / ${runId}` : runId} limit={200} />
        </span>
        {(pauseReason || error) && (
          <span class="row-summary">
            <Text text={pauseReason ?? error?.text ?? ''} limit={200} />
          </span>
        )}
        <span class="row-meta">
          <span>{kind}</span>
          <Time at={updatedAt} />
        </span>
      </a>
    </li>
  );
}

export const STATUS_NAMES: Readonly<Record<RunStatus, string>> = {
  running: 'running',
  completed: 'completed',
  paused: 'waiting',
  error: 'failed',
  cancelled: 'cancelled',
};

export function StatusBadge({ status }: { readonly status: RunStatus }) {
  return <span class={`badge status-${status}`}>{STATUS_NAMES[status]}</span>;
}
