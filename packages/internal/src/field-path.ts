/** Names of fields of records, of filters and of the messages of SDKs. */
const SHOWN =
  /^(role|content|text|type|metadata|parts|input|output|arguments|(tool_?)?(name|result|use|calls|((call|use)_?)?id)|source(\.(conversation|run|speaker|kind))?|(created|updated|expires)at|in|ne|[gl]te?|exists)$/i;

/**
 * The end of the path to a field, such as `.content`, or `.<field 3>` for the third of its object: any name but that of a
 * field of a message, a record or a filter may come from user data, which no message shows.
 */
export function fieldPath(name: string, position: number): string {
  return SHOWN.test(name) ? `.${name}` : `.<field ${position}>`;
}
