import { PATHS, type RunDetail, type TextPiece, type TimelineItem } from '../../../src/protocol.ts';
import { get } from '../api/client.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { href } from '../shell/router.ts';
import { plural } from '../ui/format.ts';
import { JsonFields } from '../ui/json.tsx';
import { LongText } from '../ui/long-text.tsx';
import { Pair } from '../ui/pair.tsx';
import { Failure, Skeleton } from '../ui/states.tsx';
import { Text } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import { StatusBadge } from './run-link.tsx';
import { Timeline } from './timeline.tsx';

interface RunPaneProps {
  readonly kind: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly tab: string | undefined;
}

/** A run: how it stands, what was said in it, and what another process needs to resume it. */
export function RunPane({ kind, sessionId, runId, tab }: RunPaneProps) {
  const query = { kind, sessionId, runId };
  const { data, error, reload } = useLoaded(JSON.stringify(query), (signal) =>
    get<RunDetail>(PATHS.run, query, signal),
  );
  const loadItem = ({ position }: TimelineItem, offset: number) =>
    get<TextPiece>(PATHS.runItem, { ...query, position, offset });
  return (
    <>
      <h2 class="detail-title">
        <Text text={runId} />
      </h2>
      <p class="meta">
        {data && <StatusBadge status={data.status} />}
        <a href={href('sessions', { tab: tab ?? 'conversations', kind, session: sessionId })}>
          <Text text={sessionId} limit={120} />
        </a>
      </p>
      {error && <Failure error={error} retry={reload} />}
      {!data && !error && <Skeleton lines={8} />}
      {data && <Contents run={data} tab={tab} loadItem={loadItem} />}
    </>
  );
}

interface ContentsProps {
  readonly run: RunDetail;
  readonly tab: string | undefined;
  readonly loadItem: (item: TimelineItem, offset: number) => Promise<TextPiece>;
}

function Contents({ run, tab, loadItem }: ContentsProps) {
  const { pauseReason, error, items, moreItems, output, resume, usage } = run;
  const { kind, sessionId, userId, agentId, parentRunId, createdAt, updatedAt } = run;
  return (
    <>
      {pauseReason && (
        <p class="banner">
          Waiting: <Text text={pauseReason} />
        </p>
      )}
      {error && (
        <div class="banner failed">
          <LongText shown={error} />
        </div>
      )}
      <dl class="pairs">
        <Pair label="User">
          {userId && (
            <a href={href('users', { id: userId, type: 'user' })}>
              <Text text={userId} limit={120} />
            </a>
          )}
        </Pair>
        <Pair label="Agent">{agentId && <Text text={agentId} limit={120} />}</Pair>
        <Pair label="Part of">
          {parentRunId && (
            <a href={href('sessions', { tab, kind, session: sessionId, run: parentRunId })}>
              <Text text={parentRunId} limit={120} />
            </a>
          )}
        </Pair>
        <Pair label="Started">
          <Time at={createdAt} seconds />
        </Pair>
        <Pair label="Updated">{updatedAt !== createdAt && <Time at={updatedAt} seconds />}</Pair>
      </dl>
      <Timeline items={items} loadItem={loadItem} />
      {moreItems > 0 && <p class="muted">And {plural(moreItems, 'more item')}.</p>}
      {output && (
        <section>
          <h3>Output</h3>
          <LongText shown={output} />
        </section>
      )}
      <section>
        <h3>Resume</h3>
        <p class="muted">{resume.resumable ? 'Another process can resume this run.' : 'There is nothing to resume.'}</p>
        {resume.checkpoint && (
          <details class="fold">
            <summary>
              <span class="tool">Checkpoint</span>
            </summary>
            <LongText shown={resume.checkpoint} />
          </details>
        )}
      </section>
      {usage && (
        <section>
          <h3>Usage</h3>
          <JsonFields value={usage} empty="None." />
        </section>
      )}
    </>
  );
}
