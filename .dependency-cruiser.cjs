// The floors of the architecture, from the ground up. An import points down or stays in its room.
const floors = [
  ['platform', 'json', 'contract'],
  ['errors'],
  ['stores'],
  ['http', 'webhooks'],
  ['verification', 'org', 'oidc'],
  ['frameworks', 'emulator', 'msw'],
  ['cli'],
]
const room = (names) => `^src/(${names.join('|')})/`
const above = (level) => floors.slice(level + 1).flat()

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    ...floors.slice(0, -1).map((names, level) => ({
      name: `floor-${level + 1}-imports-nothing-above`,
      severity: 'error',
      from: { path: room(names) },
      to: { path: `${room(above(level))}|^src/[^/]+\\.ts$` },
    })),
    {
      name: 'ground-rooms-stand-alone',
      comment: 'the contract imports zod and nothing of ours',
      severity: 'error',
      from: { path: '^src/(contract|platform|json)/([^/]+)' },
      to: { path: '^src/', pathNot: '^src/$1/' },
    },
    {
      name: 'stores-import-errors-alone',
      comment: 'a store knows nothing of the service',
      severity: 'error',
      from: { path: '^src/stores/' },
      to: { path: '^src/', pathNot: '^src/(stores|errors)/' },
    },
    {
      name: 'drivers-are-the-caller-s',
      comment: 'a store takes a client by its shape: neither code nor declarations name a driver',
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
      comment: "a client's mistake must not be mirrored",
      severity: 'error',
      from: { path: '^src/(emulator|msw)/' },
      to: { path: '^src/(http|verification|org|oidc|frameworks)/' },
    },
    {
      name: 'zod-only-in-the-contract',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/contract/' },
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
