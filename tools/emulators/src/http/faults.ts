import type { ServiceRequest } from './service.ts';

/** Which requests a fault is for; by default all. */
export interface FaultTarget {
  readonly method?: string;
  /** Of the whole path. */
  readonly path?: RegExp;
  /** How many such requests pass before the fault begins. By default 0. */
  readonly after?: number;
  /** How many requests it strikes. By default all, until {@link Faults.heal}. */
  readonly times?: number;
}

/** Where a link breaks: before the service sees the request, inside of its answer, or after it did what was asked. */
export type CutPlace = 'before' | 'mid' | 'after';

/** What strikes a request. */
export type Fault =
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'status'; readonly status: number; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'cut'; readonly place: CutPlace };

/** The switches of an emulator. Of several faults for one request the one that was set first strikes. */
export class Faults {
  #rules: { fault: Fault; target: FaultTarget; toPass: number; left: number }[] = [];

  /** Answers late. */
  delay(ms: number, target: FaultTarget = {}): void {
    this.#add({ kind: 'delay', ms }, target);
  }

  /** Answers 429. `retryAfterMs` goes out as `retry-after-ms`, and as `retry-after` in whole seconds. */
  throttle(target: FaultTarget & { readonly retryAfterMs?: number } = {}): void {
    const { retryAfterMs = 0 } = target;
    const headers = { 'retry-after-ms': `${retryAfterMs}`, 'retry-after': `${Math.ceil(retryAfterMs / 1000)}` };
    this.#add({ kind: 'status', status: 429, headers }, target);
  }

  /** Answers with a status, by default 500, and does nothing. */
  fail(target: FaultTarget & { readonly status?: number } = {}): void {
    this.#add({ kind: 'status', status: target.status ?? 500, headers: {} }, target);
  }

  /** Breaks the connection. */
  cut(place: CutPlace, target: FaultTarget = {}): void {
    this.#add({ kind: 'cut', place }, target);
  }

  /** Ends all faults. */
  heal(): void {
    this.#rules = [];
  }

  /** What strikes this request, which counts as struck. */
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
