import { builtinModules } from 'node:module'
import { fileURLToPath } from 'node:url'
import { build, type Plugin as EsbuildPlugin, transform } from 'esbuild'
import type { Plugin as RollupPlugin } from 'rollup'

/**
 * Minifies what a script contains of other packages. Without this, the package would be 112 KB larger. It moves lines,
 * so it is for scripts without a source map.
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

/**
 * Bundles jose, as one module. It is for the CommonJS files, because jose is an ES module only, which Jest and Node
 * before 20.19 cannot require.
 */
export const bundledJose = (esbuildPlugins: EsbuildPlugin[]): RollupPlugin => ({
  name: 'bundled-jose',
  resolveId: (id) => (id === 'jose' ? '/jose.js' : undefined),
  async load(id) {
    if (id !== '/jose.js') return undefined
    const { outputFiles } = await build({
      entryPoints: ['jose'],
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      write: false,
      outdir: '.',
      plugins: esbuildPlugins,
    })
    return outputFiles[0]?.text
  },
})

/** What form-data takes from Node to write a form, by module. It requires other modules only to measure and send one. */
const usedByFormData: Readonly<Record<string, string>> = {
  path: 'basename, normalize',
  stream: 'Stream',
  util: 'inherits',
}

/**
 * Lets form-data be bundled: what it requires of Node becomes an import, because an ES module has no `require`, and what
 * it does not need here becomes a function that does nothing. `mime-types` guesses content types, which are always given,
 * and `es-set-tostringtag` marks a class that is never shown. Without these two, 6 of its 23 packages are left.
 */
export const bundledFormData: EsbuildPlugin = {
  name: 'bundled-form-data',
  setup({ onResolve, onLoad }) {
    // Its entry for browsers is not wanted, which the build for all platforms would take.
    onResolve({ filter: /^form-data$/ }, () => ({ path: fileURLToPath(import.meta.resolve('form-data')) }))
    onResolve({ filter: /^(?:mime-types|es-set-tostringtag)$/ }, ({ path }) => ({
      path,
      namespace: 'unused',
    }))
    onResolve({ filter: /^[a-z]+$/ }, ({ path, kind }) => {
      if (kind !== 'require-call' || !builtinModules.includes(path)) return undefined
      return { path, namespace: Object.hasOwn(usedByFormData, path) ? 'used' : 'unused' }
    })
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = () => {}' }))
    onLoad({ filter: /.*/, namespace: 'used' }, ({ path }) => ({
      contents: `export { ${usedByFormData[path]} } from 'node:${path}'`,
    }))
  },
}
