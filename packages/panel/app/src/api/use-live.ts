import { useEffect, useRef } from 'preact/hooks';
import { type Live, PATHS } from '../../../src/protocol.ts';
import { get } from './client.ts';

const EVERY_MS = 2_000;

/** Calls `changed` when records of the namespace appeared or went, also through other processes. */
export function useLive(namespace: string, descendants: boolean, changed: () => void): void {
  const latest = useRef(changed);
  latest.current = changed;
  useEffect(() => {
    const controller = new AbortController();
    let mark: string | undefined;
    let timer: ReturnType<typeof setTimeout>;
    const look = async () => {
      // A hidden page asks nothing. It looks at once when it is shown again.
      if (document.visibilityState === 'visible') {
        const live = await get<Live>(PATHS.live, { namespace, descendants }, controller.signal).catch(() => undefined);
        if (controller.signal.aborted) return;
        if (live !== undefined && mark !== undefined && live.mark !== mark) latest.current();
        mark = live?.mark ?? mark;
      }
      timer = setTimeout(look, EVERY_MS);
    };
    void look();
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [namespace, descendants]);
}
