/**
 * The folders inside each of these, from the bottom. An import stays in its folder, or points to one further down. Folders of one
 * line do not import each other.
 */
const parents = {
  src: [
    ['runtime'],
    ['contract'],
    ['errors'],
    ['options'],
    ['observe'],
    ['stores'],
    ['http', 'webhooks'],
    ['verification', 'org', 'oidc', 'emulator'],
    ['frameworks', 'msw'],
    ['cli'],
  ],
  'src/contract': [['schema'], ['organization', 'sign-in', 'verification'], ['errors', 'webhooks']],
  'src/http': [['body'], ['params'], ['transport'], ['attempts']],
  'src/oidc': [['jwks', 'legacy'], ['validation'], ['tokens'], ['sign-in']],
  'src/emulator': [['model'], ['service'], ['controls', 'pages'], ['console'], ['server']],
  'src/emulator/model': [
    ['checks', 'faults', 'webhooks'],
    ['options'],
    ['roster', 'sessions', 'sign-in'],
    ['snapshots'],
  ],
  'src/cli': [['files'], ['emulator', 'members', 'webhook'], ['doctor']],
}

const inFolders = (parent, names) => `^${parent}/(${names.join('|')})/`

const rulesOf = ([parent, levels]) =>
  levels.flatMap((names, level) => {
    const from = { path: inFolders(parent, names) }
    const above = levels.slice(level + 1).flat()
    const rule = (name, to) => ({ name: `${parent}: ${name}`, severity: 'error', from, to })
    return [
      ...(above.length > 0 ? [rule(`${names} import nothing of ${above}`, { path: inFolders(parent, above) })] : []),
      ...(names.length > 1
        ? [
            rule(`${names} do not import each other`, {
              path: inFolders(parent, names),
              pathNot: `^${parent}/$1/`,
            }),
          ]
        : []),
    ]
  })

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    ...Object.entries(parents).flatMap(rulesOf),
    ...Object.entries(parents).map(([parent, levels]) => ({
      name: `${parent}: every folder has its level`,
      severity: 'error',
      from: { path: `^${parent}/[^/]+/`, pathNot: inFolders(parent, levels.flat()) },
      to: {},
    })),
    {
      name: 'nothing-imports-an-entry',
      comment: 'but the command, which loads the package as a program does',
      severity: 'error',
      from: { pathNot: '^src/cli/' },
      to: { path: '^src/[^/]+\\.ts$' },
    },
    {
      name: 'stores-know-nothing-of-the-service',
      severity: 'error',
      from: { path: '^src/stores/' },
      to: { path: '^src/contract/' },
    },
    {
      name: 'drivers-belong-to-the-caller',
      comment: 'a store describes its client by shape: neither code nor declarations import a driver',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: 'node_modules/(redis|@redis|ioredis|pg|@types/pg)/' },
    },
    {
      name: 'clients-without-webhooks',
      severity: 'error',
      from: { path: '^src/(verification|org|oidc)/' },
      to: { path: '^src/webhooks/' },
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
      comment: 'where its schemas are converted to JSON Schema, and for the fields of controls',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/(contract|emulator/(controls|console|model/options))/',
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
