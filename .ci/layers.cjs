/**
 * The folders inside each of these, from the bottom, and the files beside them that are above a folder. An import stays in its
 * folder, or points to a line further down. Folders of one line do not import each other. Files that are not listed are below all.
 */
const parents = {
  src: [
    ['runtime'],
    ['contract'],
    ['errors'],
    ['options'],
    ['observe'],
    ['stores', 'bulk'],
    ['http', 'webhooks'],
    ['verification', 'org', 'oidc', 'emulator'],
    ['frameworks', 'msw'],
    ['cli'],
  ],
  'src/contract': [
    ['schema'],
    ['errors'],
    ['endpoint'],
    ['organization', 'sign-in', 'verification'],
    ['webhooks'],
    ['operations', 'documented-codes'],
  ],
  'src/stores': [['postgres', 'redis', 'testing']],
  'src/http': [
    ['body'],
    ['params'],
    ['transport'],
    ['exchange'],
    ['attempts'],
    ['http-client', 'raw-request', 'service-client'],
  ],
  'src/webhooks': [['processing'], ['receiver', 'handler']],
  'src/verification': [['manager'], ['client']],
  'src/oidc': [['jwks', 'legacy'], ['validation'], ['tokens'], ['sign-in'], ['client']],
  'src/emulator': [['model'], ['service'], ['controls', 'pages'], ['console'], ['server'], ['emulator']],
  'src/emulator/model': [
    ['checks', 'faults', 'webhooks'],
    ['options'],
    ['roster', 'sessions', 'sign-in', 'workflows'],
    ['service-state', 'snapshot'],
  ],
  'src/emulator/pages': [['design'], ['form', 'page', 'hosted-page', 'consent-page', 'activation-page']],
  'src/cli': [['files'], ['env-settings'], ['emulator', 'members', 'webhook'], ['doctor'], ['run', 'start', 'main']],
}

/**
 * What the command imports besides the entries, because it does what no user of the package does. Everything else it
 * imports as they do, so that it has no copy of its own.
 */
const ofTheCommand = [
  // Facts and primitives.
  'contract/',
  'runtime/',
  // The doctor checks settings by the rules of what reads them, and without a client.
  'options/(rules|settings)',
  'oidc/(options|key-command|sign-in/sign-in-cookies|jwks/jwks-cache)',
  // `explain` knows all codes.
  'errors/catalog',
  // A message has no text of others, also if what failed was not the package.
  'errors/error-detail',
  // Suggestions, as those for misspelled options.
  'options/nearest-name',
  // The `fetch` of Node 20 uses no proxy.
  'http/transport/(env-proxy|tunnel)',
  // What it prints about an emulator, and reads for one.
  'emulator/controls/environment',
  'emulator/model/(addresses|secrets|sessions/scenarios|faults/malformed-response)',
]

/** Matches what is in one of some folders, or is one of some files. An entry may have the name of a folder. */
const within = (parent, names) => `^${parent}/(?:${names.join('|') || '-'})${parent === 'src' ? '/' : '(?:/|\\.ts$)'}`

const rule = (name, from, to) => ({ name, severity: 'error', from, to })

function rulesOf([parent, levels]) {
  const listed = within(parent, levels.flat())
  const beside = rule(
    `${parent}: files that are not listed import nothing of what is above them`,
    { path: `^${parent}/[^/]+\\.ts$`, pathNot: listed },
    { path: listed },
  )
  return [
    ...levels.flatMap((names, level) => {
      const above = within(parent, levels.slice(level + 1).flat())
      const folders = `^${parent}/(${names.join('|')})/`
      return [
        rule(
          `${parent}: ${names} import nothing of what is above them`,
          { path: within(parent, names) },
          { path: above },
        ),
        rule(
          `${parent}: ${names} do not import each other`,
          { path: folders },
          { path: folders, pathNot: `^${parent}/$1/` },
        ),
      ]
    }),
    rule(`${parent}: every folder has its level`, { path: `^${parent}/[^/]+/`, pathNot: listed }, {}),
    // The files beside the rooms are the entries.
    ...(parent === 'src' ? [] : [beside]),
  ]
}

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    rule('no-cycle', {}, { circular: true }),
    ...Object.entries(parents).flatMap(rulesOf),
    // But the command, which loads the package as a program does.
    rule('nothing-imports-an-entry', { pathNot: '^src/cli/' }, { path: '^src/[^/]+\\.ts$' }),
    rule(
      'command-as-a-user',
      { path: '^src/cli/' },
      { path: '^src/[^/]+/', pathNot: `^src/(cli/|${ofTheCommand.join('|')})` },
    ),
    rule('stores-know-nothing-of-the-service', { path: '^src/stores/' }, { path: '^src/contract/' }),
    // A store describes its client by shape: neither code nor declarations import a driver.
    rule(
      'drivers-belong-to-the-caller',
      { path: '^src/' },
      { path: 'node_modules/(redis|@redis|ioredis|pg|@types/pg)/' },
    ),
    rule('clients-without-webhooks', { path: '^src/(verification|org|oidc)/' }, { path: '^src/webhooks/' }),
    // So that the emulator cannot mirror a client's mistake.
    rule(
      'emulator-without-clients',
      { path: '^src/(emulator|msw)/' },
      { path: '^src/(http|verification|org|oidc|frameworks)/' },
    ),
    // Another module of the contract would bundle a second copy. The emulator has one, which is larger.
    rule(
      'zod-only-in-the-contract',
      { path: '^src/', pathNot: '^src/(contract/schema/zod.ts|emulator/(controls|console|model/options)/)' },
      { path: 'node_modules/zod', dependencyTypesNot: ['type-only'] },
    ),
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
