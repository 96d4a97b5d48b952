import { useState } from 'preact/hooks';
import { type NamespaceLevel, PATHS } from '../../../src/protocol.ts';
import { get } from '../api/client.ts';
import { type SeenRow, useLive } from '../api/use-live.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { usePanel } from '../shell/context.ts';
import { go, href, type Params } from '../shell/router.ts';
import { useShortcuts } from '../shell/shortcuts.ts';
import { BulkDelete } from './bulk-delete.tsx';
import { FilterBar } from './filter-bar.tsx';
import { ListHead } from './list-head.tsx';
import { NamespacePane } from './namespace-pane.tsx';
import { RecordPane } from './record-pane.tsx';
import { RecordTable } from './record-table.tsx';
import { isDeep, keyOf } from './selection.ts';
import { useRecords } from './use-records.ts';
import { useSelected } from './use-selected.ts';

/** The tree of namespaces, the memories of one, and the memory that is open. */
export function MemoriesView({ params }: { readonly params: Params }) {
  const { status } = usePanel();
  const namespace = params.ns ?? '';
  const records = useRecords(params);
  const level = useLoaded(`level ${namespace}`, (signal) =>
    get<NamespaceLevel>(PATHS.namespaces, { parent: namespace, limit: 1 }, signal),
  );
  const [changes, setChanges] = useState(0);
  const selected = useSelected(records.rows, `${namespace} ${params.q ?? ''}`);
  const [deletes, setDeletes] = useState<'selected' | 'matching'>();
  const open = params.id === undefined ? undefined : { id: params.id, namespace: params.at ?? namespace };
  useLive({
    namespace,
    descendants: isDeep(params),
    seen: () => withOpen(records.seen(), open),
    changed: () => {
      records.refresh();
      level.reload();
      setChanges((before) => before + 1);
    },
  });
  const close = () => go('memories', { ...params, id: undefined, at: undefined });
  useShortcuts(open === undefined ? {} : { Escape: close });
  const changed = () => {
    records.reload();
    level.reload();
    setChanges((before) => before + 1);
  };
  const mayChange = !status.readOnly && status.store.writable;
  return (
    <div class={open ? 'memories with-record' : 'memories'}>
      <NamespacePane params={params} changes={changes} />
      <section class="records" aria-label="Memories of this namespace">
        <FilterBar params={params} />
        <ListHead
          params={params}
          records={records}
          node={level.data?.parent}
          selected={selected}
          deleteSelected={mayChange ? () => setDeletes('selected') : undefined}
          deleteMatching={mayChange ? () => setDeletes('matching') : undefined}
        />
        <RecordTable
          params={params}
          records={records}
          selected={selected}
          selectable={mayChange}
          deep={isDeep(params) && level.data?.parent.below !== 0}
          open={open && keyOf(open)}
          openHref={({ id, namespace: at }) => href('memories', { ...params, id, at })}
        />
      </section>
      {open && (
        <RecordPane key={keyOf(open)} {...open} params={params} close={close} changed={changed} changes={changes} />
      )}
      {deletes && (
        <BulkDelete
          params={params}
          records={deletes === 'selected' ? selected.rows : undefined}
          close={() => setDeletes(undefined)}
          deleted={() => {
            selected.clear();
            changed();
          }}
        />
      )}
    </div>
  );
}

/** The open memory can be out of sight in the table. */
function withOpen(rows: readonly SeenRow[], open: SeenRow | undefined): readonly SeenRow[] {
  if (open === undefined || rows.some((row) => keyOf(row) === keyOf(open))) return rows;
  return [open, ...rows];
}
