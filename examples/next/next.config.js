import { join } from 'node:path'

// This example links the package from the repository. A project that installs it does not need `root`.
export default { poweredByHeader: false, turbopack: { root: join(import.meta.dirname, '../..') } }
