/** A request as a service sees it. */
export interface ServiceRequest {
  readonly method: string;
  /** Without the query; percent-encoding is as it was sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** What a service answers: an object is sent as JSON. */
export interface ServiceAnswer {
  readonly status: number;
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A service that {@link startServer} gives an address. */
export interface Service {
  answer(request: ServiceRequest): ServiceAnswer | Promise<ServiceAnswer>;
  /** What the service says where a fault asks for a status. */
  failure(status: number, request: ServiceRequest): ServiceAnswer;
}
