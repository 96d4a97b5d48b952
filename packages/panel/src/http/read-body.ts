import { LIMITS } from '../protocol.ts';
import { invalid } from './fields.ts';
import { Refusal } from './refusal.ts';

/** The JSON object in the body of a request. Stops reading at the limit. */
export async function readBody(request: Request): Promise<object> {
  // Forms of other sites can't send this type without being asked for leave, which nobody gives.
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw invalid('The body must be JSON, with the content type application/json.');
  const body = parse(await readText(request));
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid('The body must be a JSON object.');
  return body;
}

async function readText(request: Request): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let [text, bytes] = ['', 0];
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > LIMITS.bodyBytes) throw tooLarge();
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw invalid('The body could not be read as UTF-8.');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('The body is not JSON.');
  }
}

function tooLarge(): Refusal {
  return new Refusal(413, 'TOO_LARGE', `The body must have at most ${LIMITS.bodyBytes} bytes.`);
}
