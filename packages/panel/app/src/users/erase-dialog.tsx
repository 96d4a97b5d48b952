import { useState } from 'preact/hooks';
import { type EraseUser, type ErasureReceipt, PATHS, type UserDetail } from '../../../src/protocol.ts';
import { get, post } from '../api/client.ts';
import { asError, useLoaded } from '../api/use-loaded.ts';
import { Alert } from '../ui/alert.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { formatCount } from '../ui/format.ts';
import { Failure, Skeleton } from '../ui/states.tsx';
import { Text } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import { Counts } from './counts.tsx';

interface EraseDialogProps {
  readonly id: string;
  readonly type: 'user' | 'service';
  readonly close: () => void;
}

/** Shows what would be erased, has the id typed, erases, and gives the receipt. */
export function EraseDialog({ id, type, close }: EraseDialogProps) {
  const [receipt, setReceipt] = useState<ErasureReceipt>();
  return (
    <Dialog title={receipt ? 'Erased' : 'Erase everything of this user?'} close={close} wide>
      {receipt ? (
        <Receipt receipt={receipt} close={close} />
      ) : (
        <DryRun id={id} type={type} done={setReceipt} close={close} />
      )}
    </Dialog>
  );
}

function DryRun({ id, type, done, close }: EraseDialogProps & { readonly done: (receipt: ErasureReceipt) => void }) {
  const [shared, setShared] = useState(false);
  const [confirm, setConfirm] = useState('');
  const [erasing, setErasing] = useState(false);
  const [problem, setProblem] = useState<string>();
  const { data, error, reload } = useLoaded(`${type} ${id} ${shared}`, (signal) =>
    get<UserDetail>(PATHS.user, { id, type, shared }, signal),
  );
  const erase = async () => {
    setErasing(true);
    setProblem(undefined);
    const body: EraseUser = { id, type, shared, confirm };
    try {
      done(await post<ErasureReceipt>(PATHS.eraseUser, body));
    } catch (failure) {
      setProblem(asError(failure).message);
      setErasing(false);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (confirm === id && !erasing) void erase();
      }}
    >
      <p>A dry run found this. Nothing was changed yet.</p>
      {error && <Failure error={error} retry={reload} />}
      {!data && !error && <Skeleton lines={5} />}
      {data && <Counts counts={data.counts} />}
      <label class="check">
        <input type="checkbox" checked={shared} onChange={({ currentTarget }) => setShared(currentTarget.checked)} />
        Also what they wrote in pools and teams
      </label>
      <Field label={`Type the id to confirm: ${id}`}>
        <input
          autocomplete="off"
          spellcheck={false}
          value={confirm}
          onInput={({ currentTarget }) => setConfirm(currentTarget.value)}
        />
      </Field>
      {problem && <Alert>{problem}</Alert>}
      <footer>
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="submit" class="danger solid" disabled={confirm !== id || erasing || !data}>
          {erasing ? 'Erasing…' : 'Erase for good'}
        </button>
      </footer>
    </form>
  );
}

function Receipt({ receipt, close }: { readonly receipt: ErasureReceipt; readonly close: () => void }) {
  const save = () => {
    const json = JSON.stringify(receipt.receipt, null, 2);
    const url = URL.createObjectURL(new Blob([json], { type: 'application/json' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = `erasure-${receipt.completedAt.slice(0, 10)}.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1_000);
  };
  return (
    <>
      <p role="status">
        Everything of <Text text={receipt.principal.id} /> is erased. A full pass found nothing{' '}
        {receipt.counts.unidentified > 0 && 'else '}left at <Time at={receipt.completedAt} seconds />.
      </p>
      {receipt.counts.unidentified > 0 && (
        <Alert>
          Damage has taken the names of {formatCount(receipt.counts.unidentified)} sessions or namespaces, which may be
          theirs. They were not erased. Run <code>keepsake doctor</code> to find them.
        </Alert>
      )}
      <Counts counts={receipt.counts} />
      <footer>
        <button type="button" onClick={save}>
          Save the receipt
        </button>
        <button type="button" class="primary" onClick={close}>
          Close
        </button>
      </footer>
    </>
  );
}
