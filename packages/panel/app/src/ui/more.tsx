import type { Pages } from '../api/use-pages.ts';
import { Failure } from './states.tsx';

/** The end of a list that is loaded page by page. */
export function More<T>({ pages, what }: { readonly pages: Pages<T>; readonly what: string }) {
  if (pages.error) return <Failure error={pages.error} retry={pages.reload} />;
  if (!pages.hasMore) return null;
  return (
    <button type="button" class="quiet more-rows" disabled={pages.loading !== false} onClick={pages.loadMore}>
      {pages.loading === 'more' ? 'Loading…' : `More ${what}`}
    </button>
  );
}
