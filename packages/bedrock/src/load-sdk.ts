import { MemoryError } from '@keepsake/core';

/** The packages of AWS, loaded when first needed: who only reads needs no client that writes. */
export const loadRuntimeSdk = () =>
  loadPackage('@aws-sdk/client-bedrock-agent-runtime', () => import('@aws-sdk/client-bedrock-agent-runtime'));
export const loadAgentSdk = () =>
  loadPackage('@aws-sdk/client-bedrock-agent', () => import('@aws-sdk/client-bedrock-agent'));
export const loadS3Sdk = () => loadPackage('@aws-sdk/client-s3', () => import('@aws-sdk/client-s3'));

/** @throws MemoryError `BACKEND` naming the package, where it is not installed. */
export async function loadPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new MemoryError('BACKEND', `${name} can't be loaded. Install it: npm install ${name}`, { cause });
  }
}
