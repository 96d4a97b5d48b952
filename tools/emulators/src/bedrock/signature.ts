import type { ServiceRequest } from '../http/service.ts';
import { AwsFailure } from './aws-failure.ts';

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=[^/\s]+\/(\d{8})\/[a-z0-9-]+\/([a-z0-9-]+)\/aws4_request, SignedHeaders=([a-z0-9;:-]+), Signature=[0-9a-f]{64}$/;

/** The service that a request is signed for; `undefined` if it is not signed. */
export function signedService({ headers }: ServiceRequest): string | undefined {
  return AUTHORIZATION.exec(headers.authorization ?? '')?.[2];
}

/**
 * Refuses a request whose version 4 signature is missing or malformed. The signature itself is not verified, so any
 * credentials work.
 */
export function checkSignature(request: ServiceRequest): void {
  const { headers } = request;
  const [, day, , signed] = AUTHORIZATION.exec(headers.authorization ?? '') ?? [];
  if (day === undefined || signed === undefined) {
    throw new AwsFailure(403, 'MissingAuthenticationTokenException', 'The request is not signed with version 4.');
  }
  const date = headers['x-amz-date'] ?? '';
  const names = signed.split(';');
  if (!/^\d{8}T\d{6}Z$/.test(date) || !date.startsWith(day)) {
    throw new AwsFailure(403, 'InvalidSignatureException', 'x-amz-date is missing, or of another day than the scope.');
  }
  // HTTP/2 has no `host` header.
  const hasHost = names.includes('host') || names.includes(':authority');
  if (!hasHost || !names.includes('x-amz-date')) {
    throw new AwsFailure(403, 'InvalidSignatureException', 'The host and x-amz-date must be signed.');
  }
}
