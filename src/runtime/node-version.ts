import { isNode } from './environment.ts'

/** The oldest Node that the package supports, as `engines` in package.json says. */
const oldest = { major: 20, minor: 19 }

/** What is wrong if the program runs on a Node that is too old, otherwise `undefined`. The version does not change. */
export const nodeVersionFault: string | undefined = /* @__PURE__ */ findFault()

function findFault(): string | undefined {
  if (!isNode()) return undefined
  const { node } = process.versions
  const [major = 0, minor = 0] = node.split('.').map(Number)
  if (major > oldest.major || (major === oldest.major && minor >= oldest.minor)) return undefined
  return `Node ${oldest.major}.${oldest.minor} or newer is required, this is ${node}`
}
