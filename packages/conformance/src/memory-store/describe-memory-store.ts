import { describeCases, type Subject } from '../kit.ts';
import { memoryStoreCases } from './cases.ts';
import type { MemoryStoreCapabilities, MemoryStoreHarness } from './harness.ts';

/** Tests any store of the smaller contract `MemoryStore`, which needs nothing but `search`. */
export function describeMemoryStore(subject: Subject<MemoryStoreHarness, MemoryStoreCapabilities>): void {
  describeCases('memory store', memoryStoreCases, subject);
}
