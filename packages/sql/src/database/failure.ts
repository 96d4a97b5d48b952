/** A driver's description of an error, as Prisma passes it on. */
interface DriverCause {
  readonly kind?: unknown;
  readonly originalCode?: unknown;
  readonly originalMessage?: unknown;
  readonly message?: unknown;
  readonly severity?: unknown;
}

/** The parts of an error that tell what to do about it. */
export interface Failure {
  /** The SQLSTATE of PostgreSQL or the result code of SQLite; '' if the database did not answer. */
  readonly code: string;
  readonly message: string;
  /** Prisma's name for the error, or that of a driver. */
  readonly kind: string;
  /** PostgreSQL's, such as `FATAL`, in the language of the server. */
  readonly severity: string;
}

/** An error of Prisma, or of a driver itself. */
export function failureOf(error: unknown): Failure {
  const { errors: [first] = [error] } = (error ?? {}) as { errors?: readonly unknown[] };
  const { code, meta, message, severity, syscall } = (first ?? {}) as Record<string, unknown>;
  // Only PostgreSQL's own errors have a severity: their code is an SQLSTATE.
  if (typeof severity === 'string') return { code: textOf(code), message: textOf(message), kind: '', severity };
  if (syscall === 'connect' || syscall === 'getaddrinfo') {
    return { code: '', message: textOf(message), kind: 'DatabaseNotReachable', severity: '' };
  }
  const cause = (meta as { driverAdapterError?: { cause?: DriverCause } } | undefined)?.driverAdapterError?.cause;
  return {
    code: textOf(cause?.originalCode),
    message: textOf(cause?.originalMessage ?? cause?.message ?? message),
    kind: textOf(cause?.kind ?? code),
    severity: textOf(cause?.severity),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
