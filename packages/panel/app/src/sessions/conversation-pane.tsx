import { type ConversationDetail, PATHS, type RunRow } from '../../../src/protocol.ts';
import { get } from '../api/client.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { usePages } from '../api/use-pages.ts';
import type { Params } from '../shell/router.ts';
import { JsonFields } from '../ui/json.tsx';
import { More } from '../ui/more.tsx';
import { Failure, Skeleton } from '../ui/states.tsx';
import { ShortText, Text } from '../ui/text.tsx';
import { RunLink } from './run-link.tsx';

interface ConversationPaneProps {
  readonly kind: string;
  readonly sessionId: string;
  readonly params: Params;
}

/** A conversation: its summary, what is known of its user, and its runs. */
export function ConversationPane({ kind, sessionId, params }: ConversationPaneProps) {
  const query = { kind, sessionId };
  const { data, error, reload } = useLoaded(JSON.stringify(query), (signal) =>
    get<ConversationDetail>(PATHS.conversation, query, signal),
  );
  return (
    <>
      <h2 class="detail-title">
        <Text text={sessionId} />
      </h2>
      {error && <Failure error={error} retry={reload} />}
      {!data && !error && <Skeleton lines={8} />}
      {data && <Contents detail={data} params={params} />}
    </>
  );
}

function Contents({ detail, params }: { readonly detail: ConversationDetail; readonly params: Params }) {
  const { kind, sessionId, summary, summaryThroughSeq, profile, metadata } = detail;
  const runs = usePages<RunRow>(`${kind} ${sessionId}`, async (cursor, signal) => {
    if (cursor === undefined) return detail.runs;
    return (await get<ConversationDetail>(PATHS.conversation, { kind, sessionId, cursor }, signal)).runs;
  });
  return (
    <>
      <section>
        <h3>Summary {summaryThroughSeq !== undefined && <span class="muted">through run {summaryThroughSeq}</span>}</h3>
        {summary ? (
          <p class="prose">
            <ShortText shown={summary} />
          </p>
        ) : (
          <p class="muted">None yet.</p>
        )}
      </section>
      <section>
        <h3>Profile {profile && <span class="muted">of the {profile.scope}</span>}</h3>
        {profile ? <JsonFields value={profile.data} empty="Empty." /> : <p class="muted">None.</p>}
      </section>
      {Object.keys(metadata).length > 0 && (
        <section>
          <h3>Metadata</h3>
          <JsonFields value={metadata} empty="None." />
        </section>
      )}
      <section>
        <h3>Runs</h3>
        <ul class="rows-list flat">
          {runs.items.map((run) => (
            <RunLink key={run.runId} run={run} params={params} />
          ))}
        </ul>
        {runs.items.length === 0 && !runs.loading && <p class="muted">None yet.</p>}
        <More pages={runs} what="runs" />
      </section>
    </>
  );
}
