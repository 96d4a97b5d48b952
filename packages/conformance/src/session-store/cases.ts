import { deleting } from './deleting.ts';
import { generated } from './generated.ts';
import type { SessionStoreCaseGroup } from './harness.ts';
import { listing } from './listing.ts';
import { opening } from './opening.ts';
import { paging } from './paging.ts';
import { prefixes } from './prefixes.ts';
import { segments } from './segments.ts';

/** Every promise of `SessionStore`. */
export const sessionStoreCases: readonly SessionStoreCaseGroup[] = [
  opening,
  listing,
  paging,
  prefixes,
  segments,
  deleting,
  generated,
];
