import { join } from 'node:path'

// The package is linked from the folder above: a project that installed it needs no root.
export default { poweredByHeader: false, turbopack: { root: join(import.meta.dirname, '../..') } }
