import type { OpenedConfig } from '@keepsake/config';
import type { Deletions } from './memory/deletions.ts';
import type { MemoryPlaces } from './memory/memory-places.ts';
import type { NamespaceTree } from './memory/namespace-tree.ts';
import type { SessionOwners } from './users/session-owners.ts';

/** What the views of a panel share. */
export interface PanelParts {
  readonly config: OpenedConfig;
  readonly readOnly: boolean;
  /** Proves that a change comes from the panel's own page. */
  readonly csrfToken: string;
  readonly places: MemoryPlaces;
  readonly tree: NamespaceTree;
  readonly sessionOwners: SessionOwners;
  readonly deletions: Deletions;
}
