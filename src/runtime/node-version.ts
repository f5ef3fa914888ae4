import { isNode } from './environment.ts'

/** The oldest Node that the package supports, as `engines` in package.json says. */
const oldest = { major: 20, minor: 19 }

/** True after the first check that passed, because the verification of a webhook must not pay for another. */
let isChecked = false

/** Returns what is wrong if the program runs on a Node that is too old, otherwise `undefined`. */
export function nodeVersionFault(): string | undefined {
  if (isChecked || !isNode()) return undefined
  const { node } = process.versions
  const [major = 0, minor = 0] = node.split('.').map(Number)
  isChecked = major > oldest.major || (major === oldest.major && minor >= oldest.minor)
  if (isChecked) return undefined
  return `Node ${oldest.major}.${oldest.minor} or newer is required, this is ${node}`
}
