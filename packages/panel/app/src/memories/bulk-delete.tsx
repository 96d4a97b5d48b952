import { useRef, useState } from 'preact/hooks';
import {
  type DeletionPreview,
  type DeletionProgress,
  LIMITS,
  PATHS,
  type PreviewDeletion,
  type RecordRow,
} from '../../../src/protocol.ts';
import { post } from '../api/client.ts';
import { asError, useLoaded } from '../api/use-loaded.ts';
import type { Params } from '../shell/router.ts';
import { Alert } from '../ui/alert.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { formatCount, plural } from '../ui/format.ts';
import { Failure, Skeleton } from '../ui/states.tsx';
import { ShortText } from '../ui/text.tsx';
import { keyOf, selectionOf } from './selection.ts';

interface BulkDeleteProps {
  readonly params: Params;
  /** The selected ones; `undefined` deletes what the filters match. */
  readonly records: readonly RecordRow[] | undefined;
  readonly close: () => void;
  readonly deleted: () => void;
}

/** Shows what would be deleted, deletes exactly that, step by step, and says what was done. */
export function BulkDelete({ params, records, close, deleted }: BulkDeleteProps) {
  const preview = useLoaded('preview', () => post<DeletionPreview>(PATHS.previewDeletion, bodyOf(params, records)));
  const [progress, setProgress] = useState<DeletionProgress>();
  const [error, setError] = useState<Error>();
  const isStopped = useRef(false);
  const run = async (token: string) => {
    isStopped.current = false;
    setError(undefined);
    try {
      let left = 1;
      while (left > 0 && !isStopped.current) {
        const step = await post<DeletionProgress>(PATHS.stepDeletion, { token });
        setProgress(step);
        left = step.left;
      }
    } catch (failure) {
      setError(asError(failure));
    }
    deleted();
  };
  const leave = () => {
    isStopped.current = true;
    close();
  };
  const { data } = preview;
  return (
    <Dialog title={progress ? 'Deleting' : 'Delete these memories?'} close={leave} wide>
      {preview.error && <Failure error={preview.error} retry={preview.reload} />}
      {!data && !preview.error && <Skeleton lines={5} />}
      {data && !progress && <Preview preview={data} />}
      {progress && data && <Result progress={progress} count={data.count} />}
      {error && <Alert>{error.message}</Alert>}
      <footer>
        <button type="button" onClick={leave}>
          {progress === undefined ? 'Cancel' : progress.left > 0 ? 'Stop' : 'Close'}
        </button>
        {data && !progress && data.count > 0 && (
          <button type="button" class="danger solid" onClick={() => run(data.token)}>
            Delete {plural(data.count, 'memory', 'memories')}
          </button>
        )}
      </footer>
    </Dialog>
  );
}

function Preview({ preview }: { readonly preview: DeletionPreview }) {
  const { count, more, sample } = preview;
  return (
    <>
      <p>
        <strong>{plural(count, 'memory', 'memories')}</strong> will be deleted, with all their versions. This is final.
        {more && ` More match: a deletion takes ${formatCount(LIMITS.deletionRecords)}, so repeat it for the rest.`}
      </p>
      <ol class="sample">
        {sample.map((row) => (
          <li key={keyOf(row)}>
            <ShortText shown={row.content} />
          </li>
        ))}
        {count > sample.length && <li class="muted">and {formatCount(count - sample.length)} more</li>}
      </ol>
    </>
  );
}

function Result({ progress, count }: { readonly progress: DeletionProgress; readonly count: number }) {
  const { deleted, changed, gone, left } = progress;
  return (
    <div role="status">
      <progress max={count} value={count - left} aria-label="Deleted" />
      <p>
        Deleted {plural(deleted, 'memory', 'memories')}
        {left > 0 ? `, ${formatCount(left)} left.` : '.'}
        {changed > 0 && ` Kept ${formatCount(changed)}, since somebody changed them after the preview.`}
        {gone > 0 && ` ${formatCount(gone)} were already gone.`}
      </p>
    </div>
  );
}

function bodyOf(params: Params, records: readonly RecordRow[] | undefined): PreviewDeletion {
  if (records === undefined) return { select: selectionOf(params) };
  const named = records.map(({ namespace, id, version }) => ({
    namespace,
    id,
    ...(version === undefined ? {} : { version }),
  }));
  return { records: named };
}
