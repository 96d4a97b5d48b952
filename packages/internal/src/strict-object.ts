/**
 * The JSON Schema of an object with exactly these properties. Providers of models with strict schemas require that every
 * property is required and no other is allowed.
 */
/* @__NO_SIDE_EFFECTS__ */
export function strictObject<Properties extends object>(properties: Properties) {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** The JSON Schema of a value or null. Strict schemas have no optional properties. */
/* @__NO_SIDE_EFFECTS__ */
export function nullable<Schema extends object>(schema: Schema) {
  return { anyOf: [schema, { type: 'null' }] };
}
