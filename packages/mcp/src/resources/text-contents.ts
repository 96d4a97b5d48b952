import { type ReadResourceResult, ResourceNotFoundError } from '@modelcontextprotocol/server';

export const MIME_TYPE = 'text/plain';

export function textContents({ href }: URL, text: string): ReadResourceResult {
  return { contents: [{ uri: href, mimeType: MIME_TYPE, text }] };
}

/** The id in a URI such as `memory://record/{id}`. */
export function idIn({ href }: URL, id: string | readonly string[] | undefined): string {
  try {
    return decodeURIComponent(String(id));
  } catch {
    throw new ResourceNotFoundError(href);
  }
}
