import { Converter } from 'typedoc';

/** A plugin of TypeDoc, which names modules by their files, `core/src`. Readers know them as `@keepsake/core`. */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) module.name = `@keepsake/${module.name.replace('/src', '')}`;
  });
}
