/** A request as a service sees it. */
export interface ServiceRequest {
  readonly method: string;
  /** Without the query string; percent-encoded as sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** The response of a service. An object is sent as JSON, bytes as they are. */
export interface ServiceAnswer {
  readonly status: number;
  readonly body: object | string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A service that {@link startServer} serves. */
export interface Service {
  answer(request: ServiceRequest): ServiceAnswer | Promise<ServiceAnswer>;
  /** The response for a status that a fault sets. */
  failure(status: number, request: ServiceRequest): ServiceAnswer;
}
