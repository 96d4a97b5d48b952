import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Status } from '../../../src/protocol.ts';

/** A message at the bottom of the page, with what can be done about it. */
export interface Notice {
  readonly text: string;
  readonly failed?: boolean;
  readonly action?: { readonly label: string; run(): void };
}

/** What every view can use. */
export interface PanelContext {
  readonly status: Status;
  notify(notice: Notice): void;
}

export const Panel = createContext<PanelContext | undefined>(undefined);

export function usePanel(): PanelContext {
  const panel = useContext(Panel);
  if (panel === undefined) throw new Error('A view was rendered outside of the panel.');
  return panel;
}
