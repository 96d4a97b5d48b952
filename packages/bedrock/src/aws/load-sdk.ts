import { MemoryError } from '@keepsake/core';

// Named types, because inferred declarations would refer to dependencies of these packages.
type RuntimeSdk = typeof import('@aws-sdk/client-bedrock-agent-runtime');
type AgentSdk = typeof import('@aws-sdk/client-bedrock-agent');
type S3Sdk = typeof import('@aws-sdk/client-s3');

/** The AWS packages, loaded on first use: a store that only reads doesn't need the others. */
export const loadRuntimeSdk = (): Promise<RuntimeSdk> =>
  loadPackage('@aws-sdk/client-bedrock-agent-runtime', () => import('@aws-sdk/client-bedrock-agent-runtime'));
export const loadAgentSdk = (): Promise<AgentSdk> =>
  loadPackage('@aws-sdk/client-bedrock-agent', () => import('@aws-sdk/client-bedrock-agent'));
export const loadS3Sdk = (): Promise<S3Sdk> => loadPackage('@aws-sdk/client-s3', () => import('@aws-sdk/client-s3'));

/** @throws MemoryError `BACKEND` with the name of the package if it is not installed. */
export async function loadPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new MemoryError('BACKEND', `${name} can't be loaded. Install it: npm install ${name}`, { cause });
  }
}
