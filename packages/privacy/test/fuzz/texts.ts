import type { JsonObject } from '@keepsake/core';
import { mutateJson } from '@keepsake/testing/fuzz/json';
import { fuzzTarget } from '@keepsake/testing/fuzz/target';
import { grownText, mutateText } from '@keepsake/testing/fuzz/text';
import { redactJson, redactText } from '../../src/index.ts';

const SECRETS: readonly string[] = [
  'DB_PASSWORD="correct horse" npm run dev',
  'curl -u alice:hunter22 -H "Authorization: Bearer abcdefghijklmnop" https://alice:secret@example.com/?token=abcdef',
  '-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7\n-----END RSA PRIVATE KEY-----',
  'postgres://admin:s3cr3t@db.example.com:5432/app?sslmode=require',
  "export const key = { apiKey: 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789' };",
  '{"headers":[{"name":"cookie","value":"session=abc; token=def"}],"password":"x"}',
  'machine example.com login alice password hunter2\nghp_abcdefghijklmnopqrstuvwxyz0123456789',
  'https://example.com/a-eyJhbGciOiJIUzI1NiJ9-b?sig=abcdefgh -----BEGIN PRIVATE KEY-----"MIIE token=[Authorization:""1',
  'Set-Cookie: id=a3fWa; Expires=Wed, 21 Oct 2026 07:28:00 GMT\neyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
  'Seed phrase: abandon ability able about above absent absorb abstract absurd abuse access accident',
  "passphrase: correct horse battery staple\nThe password for the server is hunter22; ALTER USER a PASSWORD 'it''s'",
  'Password (admin)：hunter22 redis://:p@ss/w0rd@cache:6379/0 OPENAI_KEY=abc123def456ghi789 GR1601101250000000012300695',
  '{"token":"Hello","logprob":-0.1} {"tags":["password","security"]} eyJhbGciOiJkaXIifQ..c2l4dGVlbmxldHRlcnM.YQ.c2l4dGVlbmxldHRlcnM',
];

const ARGUMENTS: readonly JsonObject[] = [
  { tool: { name: 'shell', arguments: '{"command":"curl -u a:b https://x","env":{"TOKEN":"abc"}}' } },
  { headers: [['authorization', 'Bearer abc'], { name: 'cookie', value: 'id=1' }], password: 'hunter2' },
];

export const redactedText = fuzzTarget({
  input: (random) => mutateText(random, random.pick(SECRETS), SECRETS),
  grown: (random, length) => grownText(random, length, SECRETS),
  run: redactText,
});

export const redactedJson = fuzzTarget({
  input: (random) => mutateJson(random, random.pick(ARGUMENTS), ARGUMENTS) as JsonObject,
  run: redactJson,
});
