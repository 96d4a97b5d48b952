import type { MemoryErrorCode } from '@keepsake/core';
import type { PanelErrorCode } from '../protocol.ts';

/** A request that the panel refuses before it reaches the memory. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: PanelErrorCode | MemoryErrorCode;

  constructor(status: number, code: PanelErrorCode | MemoryErrorCode, message: string) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
  }
}

export function notFound(message: string): Refusal {
  return new Refusal(404, 'NOT_FOUND', message);
}
