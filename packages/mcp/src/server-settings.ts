import type { Check } from '@keepsake/core/adapter';

/** What all servers of this package can be told. */
export interface ServerSettings {
  /**
   * Shows and allows no tool that writes. A store that is not writable does the same.
   *
   * @default false
   */
  readonly readOnly?: boolean | undefined;
  /**
   * `server-memory` offers the nine tools of the reference memory server in place of those of Keepsake.
   *
   * @default none
   */
  readonly compat?: 'server-memory' | undefined;
  /**
   * Called with failures that the client is told nothing specific about, such as those of the backend.
   *
   * @default ignored
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The checks of {@link ServerSettings}, for `expectFields`. */
export const SETTINGS: Readonly<Record<keyof ServerSettings, Check>> = {
  readOnly: 'boolean',
  compat: [(value) => value === 'server-memory', "'server-memory'"],
  onError: 'function',
};
