import { Converter } from 'typedoc';

/** TypeDoc names modules by their files, `core/src`. Readers know them as `@keepsake/core`. */
function nameModulesAsImported(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) module.name = `@keepsake/${module.name.replace('/src', '')}`;
  });
}

export default {
  plugin: ['typedoc-plugin-markdown', nameModulesAsImported],
  tsconfig: 'typedoc.tsconfig.json',
  entryPoints: ['../../packages/!(internal|cli|conformance)/src/index.ts', '../../packages/core/src/adapter.ts'],
  out: 'pages/api',
  name: 'API',
  readme: 'none',
  excludePrivate: true,
  excludeInternal: true,
  disableSources: true,
  hidePageHeader: true,
  entryFileName: 'index',
  skipErrorChecking: true,
};
