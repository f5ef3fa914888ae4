import { join } from 'node:path'
import type { NextConfig } from 'next'

// This example links the package from the repository. A project that installs it does not need `root`.
const config: NextConfig = { poweredByHeader: false, turbopack: { root: join(import.meta.dirname, '../..') } }

export default config
