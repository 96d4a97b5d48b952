import { PATHS, type RunRow } from '../../../src/protocol.ts';
import { get } from '../api/client.ts';
import { usePages } from '../api/use-pages.ts';
import { go, type Params } from '../shell/router.ts';
import { Field } from '../ui/field.tsx';
import { More } from '../ui/more.tsx';
import { Empty, Skeleton } from '../ui/states.tsx';
import { RunLink, STATUS_NAMES } from './run-link.tsx';

/** What can be listed: all others end with a result. */
const UNFINISHED = ['paused', 'error', 'running', 'cancelled'] as const;

/** The runs of all sessions that did not end: waiting for somebody, failed, or still running. */
export function UnfinishedRuns({ params }: { readonly params: Params }) {
  const { status, session, run: runId } = params;
  const pages = usePages<RunRow>(`runs ${status}`, (cursor, signal) =>
    get(PATHS.unfinishedRuns, { status, cursor }, signal),
  );
  const { items, loading, error } = pages;
  return (
    <>
      <div class="list-filter">
        <Field label="Status">
          <select
            value={status ?? ''}
            onChange={({ currentTarget }) => go('sessions', { tab: 'runs', status: currentTarget.value }, 'replace')}
          >
            <option value="">Any</option>
            {UNFINISHED.map((one) => (
              <option key={one} value={one}>
                {STATUS_NAMES[one]}
              </option>
            ))}
          </select>
        </Field>
      </div>
      {loading === 'first' && items.length === 0 && <Skeleton lines={8} />}
      {items.length === 0 && !loading && !error && (
        <Empty title={status ? 'No run has this status' : 'No run waits or failed'}>
          Runs that are waiting, failed, running or cancelled appear here.
        </Empty>
      )}
      <ul class="rows-list">
        {items.map((run) => (
          <RunLink
            key={`${run.sessionId} ${run.runId}`}
            run={run}
            params={{ tab: 'runs', status }}
            withSession
            current={run.runId === runId && run.sessionId === session}
          />
        ))}
      </ul>
      <More pages={pages} what="runs" />
    </>
  );
}
