import {
  type BuryRecord,
  type DeletedRecord,
  type DeleteRecord,
  type EditRecord,
  PATHS,
  type RecordDetail,
  type RecordRef,
  type RestoreRecord,
} from '../../../src/protocol.ts';
import { post } from '../api/client.ts';
import { usePanel } from '../shell/context.ts';
import { go, type Params } from '../shell/router.ts';

/** What an editor hands in. */
export type Edit = Pick<EditRecord, 'content' | 'metadata' | 'keepVersion'>;

export interface RecordChanges {
  edit(edit: Edit): Promise<void>;
  bury(buried: boolean): Promise<void>;
  restore(versionId: string): Promise<void>;
  remove(): Promise<void>;
}

/** Changes of a record, each with a message that says what was done and undoes it where that is possible. */
export function useRecordChanges(
  record: RecordDetail,
  params: Params,
  changed: () => void,
  close: () => void,
): RecordChanges {
  const { notify } = usePanel();
  const refOf = ({ namespace, id, version }: RecordDetail): RecordRef => ({ namespace, id, ifVersion: version });
  const show = ({ id, namespace }: RecordDetail) => {
    // A new version can have another id.
    go('memories', { ...params, id, at: namespace }, 'replace');
    changed();
  };
  const attempt = async (change: () => Promise<void>) => {
    try {
      await change();
    } catch (error) {
      notify({ text: (error as Error).message, failed: true });
      changed();
    }
  };
  const restoreFrom = async (now: RecordDetail, versionId: string) => {
    const body: RestoreRecord = { ...refOf(now), versionId };
    show(await post<RecordDetail>(PATHS.restoreRecord, body));
    notify({ text: 'The earlier version holds again.' });
  };
  const buryIn = async (now: RecordDetail, buried: boolean) => {
    const body: BuryRecord = { ...refOf(now), buried };
    const after = await post<RecordDetail>(PATHS.buryRecord, body);
    show(after);
    const text = buried ? 'Buried. No agent recalls it any more.' : 'Agents recall it again.';
    notify({ text, action: { label: 'Undo', run: () => void attempt(() => buryIn(after, !buried)) } });
  };
  return {
    async edit(edit) {
      const body: EditRecord = { ...refOf(record), ...edit };
      const after = await post<RecordDetail>(PATHS.editRecord, body);
      show(after);
      const undo = { label: 'Undo', run: () => void attempt(() => restoreFrom(after, record.id)) };
      notify({ text: 'Saved.', ...(edit.keepVersion && after.id !== record.id ? { action: undo } : {}) });
    },
    bury: (buried) => attempt(() => buryIn(record, buried)),
    restore: (versionId) => attempt(() => restoreFrom(record, versionId)),
    async remove() {
      const body: DeleteRecord = refOf(record);
      const { deleted } = await post<DeletedRecord>(PATHS.deleteRecord, body);
      close();
      changed();
      notify({ text: deleted ? 'Deleted.' : 'It was already gone.' });
    },
  };
}
