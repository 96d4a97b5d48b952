import { useEffect, useState } from 'preact/hooks';

/** The views, in the order of the navigation. */
export const VIEWS = ['memories', 'ask', 'sessions', 'workspace', 'users', 'health'] as const;
export type View = (typeof VIEWS)[number];

/** Where the page is: all of it is in the address, so that an address can be shared. */
export interface Route {
  readonly view: View;
  readonly params: Params;
}

export type Params = Readonly<Record<string, string | undefined>>;

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const read = () => setHash(location.hash);
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  return readRoute(hash);
}

function readRoute(hash: string): Route {
  const [, name = '', query = ''] = /^#\/([a-z]*)\??(.*)$/s.exec(hash) ?? [];
  const view = VIEWS.find((candidate) => candidate === name) ?? 'memories';
  return { view, params: Object.fromEntries(new URLSearchParams(query)) };
}

export function href(view: View, params: Params = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) if (value !== undefined && value !== '') query.set(name, value);
  return `#/${view}${query.size === 0 ? '' : `?${query}`}`;
}

/** @param how - `replace` adds no step to the history, for what changes with each key. */
export function go(view: View, params: Params = {}, how: 'push' | 'replace' = 'push'): void {
  const url = href(view, params);
  if (url === location.hash) return;
  if (how === 'push') location.hash = url;
  else {
    history.replaceState(null, '', url);
    dispatchEvent(new HashChangeEvent('hashchange'));
  }
}
