import { transform } from 'esbuild'

/**
 * Minifies what a script contains of other packages. Without this, the package would be 112 KB larger, and more than its
 * budget of 3 MiB. It moves lines, so it is for scripts without a source map.
 */
export async function minifyThirdParty(script: string): Promise<string> {
  // esbuild writes the path of each module before its code.
  const modules = script.split(/^(?=\/\/ \S+\.[cm]?[jt]s\n)/m)
  const written = modules.map(async (module) => {
    const [path] = /^\/\/ \S*\bnode_modules\/.+\n/.exec(module) ?? []
    return path === undefined ? module : path + (await transform(module, { minify: true })).code
  })
  return (await Promise.all(written)).join('')
}
