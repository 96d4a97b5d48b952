/*
 * The JSON API between the panel's page and its server. Types and constants only, so that both sides can import it.
 *
 * Reads are `GET` with a query; changes are `POST` with a JSON body and the header `CSRF_HEADER`, whose value is in `Status`.
 * A read-only panel refuses every `POST`. All texts are untrusted: show them as text. Times are ISO 8601 in UTC. A namespace
 * is named as `formatNamespace` writes it; `''` is the root of the panel.
 *
 * A failed request has a status of 400 or more and an `ApiError` as its body.
 */

export * from './protocol/api.ts';
export * from './protocol/conversations.ts';
export * from './protocol/health.ts';
export * from './protocol/records.ts';
export * from './protocol/users.ts';
export * from './protocol/workspace.ts';
