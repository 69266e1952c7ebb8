import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

import { type CheckedConfig, ConfigError, checkConfig } from './check-config.ts'

export const CONFIG_NAMES = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs', 'json'].map(
  (extension) => `concord.config.${extension}`,
)

/**
 * Returns the path of the config for a folder: the given path, or else the path in the `concord` field of the
 * folder's package.json, or else the path of the file with one of the {@link CONFIG_NAMES}.
 *
 * @throws ConfigError if the folder has no config or several configs
 */
export function findConfig(folder: string, given: string | undefined): string {
  if (given !== undefined) {
    const file = resolve(folder, given)
    if (existsSync(file)) return checkFile(file, given)
    throw new ConfigError(
      `Config ${given} not found in ${folder}. Correct the path in \`--config\`, or in the \`concord\` field of package.json.`,
    )
  }
  const named = namedInPackage(folder)
  if (named !== undefined) return findConfig(folder, named)
  const [found, second] = CONFIG_NAMES.filter((name) => existsSync(join(folder, name)))
  if (found !== undefined && second !== undefined)
    throw new ConfigError(
      `There are two configs, ${found} and ${second}. Remove one of them, or choose one with --config FILE.`,
    )
  if (found !== undefined) return checkFile(join(folder, found), found)
  throw new ConfigError(
    `${CONFIG_NAMES[0]} not found in ${folder}. To write one for the OpenAPI and AsyncAPI documents of this project, run:\n\n` +
      '  npx @concord/generate init\n\nOr pass the path of a config with --config FILE.',
  )
}

function checkFile(file: string, name: string): string {
  if (!statSync(file).isFile())
    throw new ConfigError(`\`${name}\` isn't a file; a config must be a file, such as concord.config.ts.`)
  if (!/\.(?:[cm]?[jt]s|json)$/.test(file))
    throw new ConfigError(
      `\`${name}\` can't be a config; write the config in TypeScript, JavaScript or JSON, in a file such as concord.config.ts.`,
    )
  return file
}

/** Returns the path of the config from the `concord` field of the folder's package.json, if any. */
export function namedInPackage(folder: string): string | undefined {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) return undefined
  try {
    const { concord } = JSON.parse(readFileSync(file, 'utf8')) as { readonly concord?: unknown }
    if (concord === undefined || typeof concord === 'string') return concord
  } catch (error) {
    throw new ConfigError(`package.json can't be read: ${(error as Error).message}`)
  }
  throw new ConfigError(
    '`concord` in package.json must be the path of a config, such as "tools/concord.config.ts".',
  )
}

/**
 * Loads a config and checks it. A config that has changed since an earlier call is loaded again. The modules
 * that the config imports are loaded only once.
 *
 * @throws ConfigError
 */
export async function loadConfig(file: string): Promise<CheckedConfig> {
  const { root, services } = checkConfig(await contentOf(file))
  return { root: resolve(dirname(file), root), services }
}

async function contentOf(file: string): Promise<unknown> {
  const text = readFileSync(file, 'utf8')
  if (file.endsWith('.json')) {
    try {
      return JSON.parse(text)
    } catch (error) {
      throw new ConfigError(`${basename(file)} isn't valid JSON: ${(error as Error).message}`)
    }
  }
  let loaded: { readonly default?: unknown }
  try {
    // Node caches modules by URL. With this query, a changed config has a new URL.
    const { createHash } = await import('node:crypto')
    const version = createHash('sha256').update(text).digest('hex').slice(0, 16)
    loaded = (await import(`${pathToFileURL(file).href}?${version}`)) as typeof loaded
  } catch (error) {
    throw new ConfigError(`${basename(file)} can't be loaded: ${reasonOf(error)}`)
  }
  if (loaded.default === undefined)
    throw new ConfigError(
      `${basename(file)} has no default export; write \`export default defineConfig({ ... })\``,
    )
  return loaded.default
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ERR_MODULE_NOT_FOUND' && message.includes("'@concord/generate'"))
    return '@concord/generate is not installed here. Run: npm install --save-dev @concord/generate'
  return message ?? String(error)
}
