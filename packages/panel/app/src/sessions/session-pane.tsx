import { useState } from 'preact/hooks';
import { PATHS, type SessionTimeline, type TextPiece, type TimelineItem } from '../../../src/protocol.ts';
import { get } from '../api/client.ts';
import { asError, useLoaded } from '../api/use-loaded.ts';
import { Empty, Failure, Skeleton } from '../ui/states.tsx';
import { Text } from '../ui/text.tsx';
import { Timeline } from './timeline.tsx';

const PAGE = 100;

/** The newest items of a session, and the ones before as they are asked for. */
export function SessionPane({ id }: { readonly id: string }) {
  const { data, error, reload } = useLoaded(id, (signal) =>
    get<SessionTimeline>(PATHS.session, { id, limit: PAGE }, signal),
  );
  const [before, setBefore] = useState<readonly SessionTimeline[]>([]);
  const [failure, setFailure] = useState<Error>();
  const first = before[0] ?? data;
  const loadBefore = async () => {
    setFailure(undefined);
    try {
      const page = await get<SessionTimeline>(PATHS.session, { id, skip: first?.nextSkip, limit: PAGE });
      setBefore((pages) => [page, ...pages]);
    } catch (cause) {
      setFailure(asError(cause));
    }
  };
  const items: readonly TimelineItem[] = [...before, ...(data ? [data] : [])].flatMap((page) => page.items);
  const loadItem = ({ position }: TimelineItem, offset: number) =>
    get<TextPiece>(PATHS.sessionItem, { id, position, offset });
  return (
    <>
      <h2 class="detail-title">
        <Text text={id} />
      </h2>
      {error && <Failure error={error} retry={reload} />}
      {!data && !error && <Skeleton lines={8} />}
      {failure && <Failure error={failure} retry={loadBefore} />}
      {first?.nextSkip !== undefined && (
        <button type="button" class="quiet more-rows" onClick={loadBefore}>
          Earlier items
        </button>
      )}
      {first?.cutOff && <p class="hint">Older items are not shown. A program can read them all with getItems().</p>}
      {data && items.length === 0 && <Empty title="This session is empty" />}
      <Timeline items={items} loadItem={loadItem} />
    </>
  );
}
