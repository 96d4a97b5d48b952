import { useEffect, useRef, useState } from 'preact/hooks';
import { PATHS, type RecordDetail, type TextPiece } from '../../../src/protocol.ts';
import { get } from '../api/client.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { href, type Params } from '../shell/router.ts';
import { useShortcuts } from '../shell/shortcuts.ts';
import { JsonFields } from '../ui/json.tsx';
import { LongText } from '../ui/long-text.tsx';
import { Empty, Failure, Skeleton } from '../ui/states.tsx';
import { Text } from '../ui/text.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { Neighbours } from './neighbours.tsx';
import { Provenance } from './provenance.tsx';
import { RecordEditor } from './record-editor.tsx';
import { useRecordChanges } from './use-record-changes.ts';
import { Versions } from './versions.tsx';

interface RecordPaneProps {
  readonly namespace: string;
  readonly id: string;
  readonly params: Params;
  readonly close: () => void;
  /** Called after a change, so that the table follows. */
  readonly changed: () => void;
  /** Another number says that records changed. */
  readonly changes: number;
}

/** One memory: its text, where it comes from, its versions, and what can be done with it. */
export function RecordPane({ namespace, id, params, close, changed, changes }: RecordPaneProps) {
  const {
    data: record,
    error,
    reload,
  } = useLoaded(`${namespace} ${id}`, (signal) => get<RecordDetail>(PATHS.record, { namespace, id }, signal));
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    // A newer version would replace the text that somebody is typing. Saving it tells of the conflict.
    if (changes > 0 && !isBusy) reload();
  }, [changes, isBusy]);
  const pane = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    // On a narrow page it covers the table, which had the focus.
    if (pane.current && getComputedStyle(pane.current).position === 'fixed') pane.current.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const isGone = error !== undefined && 'code' in error && error.code === 'NOT_FOUND';
  return (
    <aside class="record" aria-label="Memory" tabIndex={-1} ref={pane}>
      {isGone && <Gone close={close} />}
      {error && !record && !isGone && <Failure error={error} retry={reload} />}
      {!record && !error && <Skeleton lines={6} />}
      {record && !isGone && (
        <Contents
          key={record.version}
          record={record}
          params={params}
          close={close}
          changed={changed}
          setBusy={setBusy}
        />
      )}
    </aside>
  );
}

function Gone({ close }: { readonly close: () => void }) {
  return (
    <Empty title="This memory does not exist">
      It was deleted, or it expired.{' '}
      <button type="button" class="quiet" onClick={close}>
        Close
      </button>
    </Empty>
  );
}

interface ContentsProps extends Pick<RecordPaneProps, 'params' | 'close' | 'changed'> {
  readonly record: RecordDetail;
  /** Told whether somebody is about to change the record. */
  readonly setBusy: (isBusy: boolean) => void;
}

function Contents({ record, params, close, changed, setBusy }: ContentsProps) {
  const [mode, setMode] = useState<'read' | 'edit' | 'delete'>('read');
  useEffect(() => {
    setBusy(mode !== 'read');
    return () => setBusy(false);
  }, [mode, setBusy]);
  const { namespace, id, can, content, buried = false } = record;
  const changes = useRecordChanges(record, params, changed, close);
  const mayBury = can.edit && record.validUntil === undefined;
  useShortcuts({
    ...(can.edit ? { e: () => setMode('edit') } : {}),
    ...(mayBury ? { b: () => changes.bury(!buried) } : {}),
    ...(can.delete ? { Delete: () => setMode('delete'), '#': () => setMode('delete') } : {}),
  });
  const loadText = (offset: number) => get<TextPiece>(PATHS.recordText, { namespace, id, offset });
  return (
    <>
      <header class="record-head">
        <h2>Memory</h2>
        <div class="actions">
          {can.edit && mode !== 'edit' && (
            <button type="button" onClick={() => setMode('edit')}>
              Edit
            </button>
          )}
          {mayBury && (
            <button
              type="button"
              title={buried ? 'Agents recall it again' : 'Keep it, but let no agent recall it'}
              onClick={() => changes.bury(!buried)}
            >
              {buried ? 'Dig up' : 'Bury'}
            </button>
          )}
          {can.delete && (
            <button type="button" class="danger" onClick={() => setMode('delete')}>
              Delete…
            </button>
          )}
        </div>
        <button type="button" class="icon" aria-label="Close the memory" onClick={close}>
          ×
        </button>
      </header>
      {buried && <p class="banner">Buried: it is kept, and no agent recalls it.</p>}
      {record.validUntil && (
        <p class="banner">
          It no longer holds.{' '}
          {record.supersededBy && (
            <a href={href('memories', { ...params, id: record.supersededBy, at: namespace })}>
              Show what superseded it
            </a>
          )}
        </p>
      )}
      {mode === 'edit' ? (
        <RecordEditor record={record} save={changes.edit} close={() => setMode('read')} />
      ) : (
        <div class="record-text">
          <LongText shown={content} load={loadText} />
        </div>
      )}
      <Provenance record={record} params={params} />
      <section>
        <h3>Metadata</h3>
        <JsonFields value={record.metadata} empty="None." />
      </section>
      <Versions record={record} params={params} restore={can.edit && can.keepVersions ? changes.restore : undefined} />
      <Neighbours record={record} params={params} />
      <p class="hint">
        <a href={href('ask', { ns: namespace, q: content.text.slice(0, 200) })}>Ask what is recalled for this text</a>
      </p>
      {mode === 'delete' && (
        <DeleteDialog versions={record.versions.length} remove={changes.remove} close={() => setMode('read')}>
          <Text text={content.text} limit={300} />
        </DeleteDialog>
      )}
    </>
  );
}
