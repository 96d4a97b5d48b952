import { usePanel } from '../shell/context.ts';
import { href, type Params } from '../shell/router.ts';
import { Empty } from '../ui/states.tsx';
import { countFilters, isDeep } from './selection.ts';

/** Why there are no memories, and what to do. */
export function NoRecords({ params }: { readonly params: Params }) {
  const { status } = usePanel();
  if (params.q || countFilters(params) > 0) {
    return (
      <Empty title="Nothing matches">
        Use other words or fewer filters. <a href={href('memories', { ns: params.ns })}>Show all memories here</a>
      </Empty>
    );
  }
  if (params.ns && !isDeep(params)) {
    return (
      <Empty title="No memories in this namespace">
        <a href={href('memories', { ns: params.ns })}>Show those of the namespaces below</a>
      </Empty>
    );
  }
  if (params.ns) return <Empty title="No memories in this namespace">Choose another one in the tree.</Empty>;
  return (
    <Empty title="There are no memories yet">
      Memories of {status.store.name} appear here as soon as an agent saves one. To add one by hand, run{' '}
      <code>keepsake remember "Likes tea"</code>.
    </Empty>
  );
}
