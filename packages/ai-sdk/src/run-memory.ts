import type { MemoryTool } from '@keepsake/core';
import type { RunMemory as AnyRunMemory } from '@keepsake/internal';

export type { RunSegment } from '@keepsake/internal';

/** The part of `WorkspaceMemory` (`@keepsake/workspace`) that this package uses. */
export type RunMemory = AnyRunMemory<MemoryTool>;
