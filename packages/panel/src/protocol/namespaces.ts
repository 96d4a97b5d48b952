import type { PageOf } from './answers.ts';

// GET namespaces?parent=&cursor=&limit=

/** The children of a namespace, one level down, sorted by name. */
export interface NamespaceLevel extends PageOf<NamespaceNode> {
  /** The parent itself. */
  readonly parent: NamespaceNode;
}

export type NamespaceKind = 'private' | 'child' | 'pool' | 'team' | 'outbox' | 'conversations' | 'other';

export interface NamespaceNode {
  readonly namespace: readonly string[];
  /** The whole path, as the API takes it; `''` for the root. */
  readonly name: string;
  /** The last segment; `''` for the root. */
  readonly label: string;
  /** Records exactly here, closed ones too. */
  readonly recordCount: number;
  /** `true` if the store can't say how many records are here without reading all: there are more than `recordCount`. */
  readonly more?: boolean;
  /** Records in all namespaces below. */
  readonly below: number;
  readonly childCount: number;
  /** Missing for a level without records of its own. */
  readonly kind?: NamespaceKind;
  /** The user or service it belongs to. */
  readonly principal?: PrincipalRef;
}

export interface PrincipalRef {
  readonly id: string;
  readonly type: 'user' | 'service';
}
