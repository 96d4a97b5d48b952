/** The user who is signed in. In your app, ask your session: never believe a header of the client. */
export async function userOf(request: Request): Promise<string> {
  return request.headers.get('x-user') ?? 'guest';
}
