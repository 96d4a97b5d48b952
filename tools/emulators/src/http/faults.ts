import type { ServiceRequest } from './service.ts';

/** Selects the requests of a fault; by default all. */
export interface FaultTarget {
  readonly method?: string;
  /** Matches the whole path. */
  readonly path?: RegExp;
  /**
   * The number of matching requests before the fault starts.
   *
   * @default 0
   */
  readonly after?: number;
  /**
   * The number of requests that fail.
   *
   * @default all, until {@link Faults.heal}
   */
  readonly times?: number;
}

/**
 * When a connection is cut: before the service sees the request, in the middle of the response, or after the request was
 * processed.
 */
export type CutPlace = 'before' | 'mid' | 'after';

/** What happens to a request. */
export type Fault =
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'status'; readonly status: number; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'cut'; readonly place: CutPlace };

/** Injects faults into an emulator. If several faults match a request, the first one applies. */
export class Faults {
  #rules: { fault: Fault; target: FaultTarget; toPass: number; left: number }[] = [];

  /** Delays responses. */
  delay(ms: number, target: FaultTarget = {}): void {
    this.#add({ kind: 'delay', ms }, target);
  }

  /** Responds with 429. `retryAfterMs` is sent as `retry-after-ms`, and as `retry-after` in whole seconds. */
  throttle(target: FaultTarget & { readonly retryAfterMs?: number } = {}): void {
    const { retryAfterMs = 0 } = target;
    const headers = { 'retry-after-ms': `${retryAfterMs}`, 'retry-after': `${Math.ceil(retryAfterMs / 1000)}` };
    this.#add({ kind: 'status', status: 429, headers }, target);
  }

  /** Responds with a status, by default 500, without processing the request. */
  fail(target: FaultTarget & { readonly status?: number } = {}): void {
    this.#add({ kind: 'status', status: target.status ?? 500, headers: {} }, target);
  }

  /** Breaks the connection. */
  cut(place: CutPlace, target: FaultTarget = {}): void {
    this.#add({ kind: 'cut', place }, target);
  }

  /** Removes all faults. */
  heal(): void {
    this.#rules = [];
  }

  /** Returns the fault of this request and counts it. */
  strike(request: ServiceRequest): Fault | undefined {
    for (const rule of this.#rules) {
      const { method = request.method, path } = rule.target;
      if (rule.left === 0 || method !== request.method || path?.test(request.path) === false) continue;
      if (rule.toPass > 0) rule.toPass--;
      else {
        rule.left--;
        return rule.fault;
      }
    }
    return undefined;
  }

  #add(fault: Fault, target: FaultTarget): void {
    this.#rules.push({ fault, target, toPass: target.after ?? 0, left: target.times ?? Number.POSITIVE_INFINITY });
  }
}
