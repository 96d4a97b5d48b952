import type { JsonObject } from '@keepsake/core';

/** A text, or a list of texts. */
interface Trait {
  readonly kind: 'text' | 'list';
  readonly description: string;
}

/** The default fields of a profile. */
export const TRAITS: Readonly<Record<string, Trait>> = {
  name: { kind: 'text', description: 'What they are called, or want to be called' },
  languages: { kind: 'list', description: 'Languages that they speak, the preferred one first' },
  location: { kind: 'text', description: 'Where they live, or the time zone that they are in' },
  occupation: { kind: 'text', description: 'Their work and role' },
  expertise: { kind: 'list', description: 'What they know well, with how well where that shows' },
  interests: { kind: 'list', description: 'What they care about and come back to' },
  preferences: { kind: 'list', description: 'What they like and dislike, and what they choose' },
  communication_style: { kind: 'text', description: 'How they want to be answered: length, tone, form' },
  goals: { kind: 'list', description: 'What they work towards, with dates where they gave some' },
  constraints: { kind: 'list', description: 'What has to be respected: budget, diet, access, tools, deadlines' },
};

/** The traits as JSON Schema. */
export const TRAITS_SCHEMA: JsonObject = {
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(TRAITS).map(([name, { kind, description }]): [string, JsonObject] => [
      name,
      kind === 'text' ? { type: 'string', description } : { type: 'array', items: { type: 'string' }, description },
    ]),
  ),
  additionalProperties: false,
};
