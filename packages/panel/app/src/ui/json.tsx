import { Text } from './text.tsx';

type Fields = { readonly [field: string]: unknown };

/** The fields of an object, one a line. Nested values are JSON. */
export function JsonFields({ value, empty }: { readonly value: Fields; readonly empty: string }) {
  const fields = Object.entries(value);
  if (fields.length === 0) return <p class="muted">{empty}</p>;
  return (
    <dl class="pairs">
      {fields.map(([name, field]) => (
        <div key={name}>
          <dt>
            <Text text={name} />
          </dt>
          <dd>
            <Text text={typeof field === 'string' ? field : JSON.stringify(field)} limit={2_000} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
