import { PATHS, type RunRow } from '../../../src/protocol.ts';
import { get } from '../api/client.ts';
import { usePages } from '../api/use-pages.ts';
import type { Params } from '../shell/router.ts';
import { More } from '../ui/more.tsx';
import { Empty, Skeleton } from '../ui/states.tsx';
import { RunLink } from './run-link.tsx';

/** The runs of all sessions that did not end: waiting for somebody, failed, or still running. */
export function UnfinishedRuns({ params }: { readonly params: Params }) {
  const pages = usePages<RunRow>('runs', (cursor, signal) => get(PATHS.unfinishedRuns, { cursor }, signal));
  const { items, loading, error } = pages;
  return (
    <>
      {loading === 'first' && items.length === 0 && <Skeleton lines={8} />}
      {items.length === 0 && !loading && !error && (
        <Empty title="No run waits or failed">Runs that are paused, running or failed appear here.</Empty>
      )}
      <ul class="rows-list">
        {items.map((run) => (
          <RunLink
            key={`${run.sessionId} ${run.runId}`}
            run={run}
            params={{ tab: 'runs' }}
            withSession
            current={run.runId === params.run}
          />
        ))}
      </ul>
      <More pages={pages} what="runs" />
    </>
  );
}
