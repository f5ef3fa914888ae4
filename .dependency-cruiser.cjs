// The layers of ARCHITECTURE.md, from the bottom. An import points down, or stays in its own folder.
const layers = [
  ['runtime', 'contract'],
  ['errors'],
  ['options'],
  ['observe'],
  ['stores'],
  ['http', 'webhooks'],
  ['verification', 'org', 'oidc'],
  ['frameworks', 'emulator', 'msw'],
  ['cli'],
]
const folders = (names) => `^src/(${names.join('|')})/`
const above = (level) => layers.slice(level + 1).flat()

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    ...layers.slice(0, -1).map((names, level) => ({
      name: `layer-${level + 1}-imports-nothing-above`,
      severity: 'error',
      from: { path: folders(names) },
      to: { path: `${folders(above(level))}|^src/[^/]+\\.ts$`, pathNot: '^src/index\\.ts$' },
    })),
    {
      name: 'only-entries-import-the-root',
      comment:
        'so that what they share is one file of the build. The command loads the package as a program does',
      severity: 'error',
      from: { pathNot: '^src/([^/]+|stores/(redis|postgres|testing))\\.ts$|^src/cli/' },
      to: { path: '^src/index\\.ts$' },
    },
    {
      name: 'runtime-stands-alone',
      severity: 'error',
      from: { path: '^src/runtime/' },
      to: { path: '^src/', pathNot: '^src/runtime/' },
    },
    {
      name: 'contract-imports-runtime-alone',
      severity: 'error',
      from: { path: '^src/contract/' },
      to: { path: '^src/', pathNot: '^src/(contract|runtime)/' },
    },
    {
      name: 'stores-know-nothing-of-the-service',
      severity: 'error',
      from: { path: '^src/stores/' },
      to: { path: '^src/', pathNot: '^src/((stores|observe|options|errors|runtime)/|index\\.ts$)' },
    },
    {
      name: 'drivers-belong-to-the-caller',
      comment: 'a store describes its client by shape: neither code nor declarations import a driver',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: 'node_modules/(redis|@redis|ioredis|pg|@types/pg)/' },
    },
    {
      name: 'webhooks-without-http',
      severity: 'error',
      from: { path: '^src/webhooks/' },
      to: { path: '^src/http/' },
    },
    {
      name: 'clients-apart',
      severity: 'error',
      from: { path: '^src/(verification|org|oidc)/' },
      to: { path: '^src/(verification|org|oidc|webhooks)/', pathNot: '^src/$1/' },
    },
    {
      name: 'emulator-without-clients',
      comment: "so that the emulator cannot mirror a client's mistake",
      severity: 'error',
      from: { path: '^src/(emulator|msw)/' },
      to: { path: '^src/(http|verification|org|oidc|frameworks)/' },
    },
    {
      name: 'zod-only-in-the-contract',
      comment: 'where its schemas are converted to JSON Schema, and for the fields of controls and snapshots',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/(contract|emulator/(controls|console|model/(options|snapshots)))/',
      },
      to: { path: 'node_modules/zod', dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
}
