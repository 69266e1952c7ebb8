import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

import { type CheckedConfig, ConfigError, checkConfig } from './check-config.ts'

/** The names that a config is looked for by, in this order. */
export const CONFIG_NAMES = ['ts', 'mts', 'js', 'mjs', 'json'].map(
  (extension) => `concord.config.${extension}`,
)

/** A config, read and checked. */
export interface LoadedConfig extends CheckedConfig {
  /** Its path. */
  readonly file: string
}

/**
 * The path of the config for a folder: the given one, the one that `concord` in its package.json names, or the first one of
 * {@link CONFIG_NAMES}.
 *
 * @throws ConfigError saying what to do if it is missing
 */
export function findConfig(folder: string, given: string | undefined): string {
  if (given !== undefined) {
    const file = resolve(folder, given)
    if (existsSync(file)) return file
    throw new ConfigError(
      `There is no config ${given} in ${folder}. Correct the path (--config, or \`concord\` in package.json).`,
    )
  }
  const named = namedInPackage(folder)
  if (named !== undefined) return findConfig(folder, named)
  const found = CONFIG_NAMES.map((name) => join(folder, name)).find((file) => existsSync(file))
  if (found !== undefined) return found
  throw new ConfigError(
    `There is no ${CONFIG_NAMES[0]} in ${folder}. To write one for the OpenAPI document of this project, run:\n\n` +
      '  npx @concord/generate init\n\nOr name a config with --config FILE.',
  )
}

function namedInPackage(folder: string): string | undefined {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) return undefined
  try {
    const { concord } = JSON.parse(readFileSync(file, 'utf8')) as { readonly concord?: unknown }
    return typeof concord === 'string' ? concord : undefined
  } catch {
    return undefined
  }
}

/**
 * Loads a config and checks it. A changed file is loaded again; modules that it imports are not.
 *
 * @throws ConfigError naming what is wrong
 */
export async function loadConfig(file: string): Promise<LoadedConfig> {
  const { root, services } = checkConfig(await contentOf(file))
  return { file, root: resolve(dirname(file), root), services }
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
    // The query keeps a config that has changed from being taken from memory.
    const { createHash } = await import('node:crypto')
    const version = createHash('sha256').update(text).digest('hex').slice(0, 16)
    loaded = (await import(`${pathToFileURL(file).href}?${version}`)) as typeof loaded
  } catch (error) {
    throw new ConfigError(`${basename(file)} can't be loaded: ${reasonOf(error)}`)
  }
  if (loaded.default === undefined)
    throw new ConfigError(
      `${basename(file)} has no default export; write: export default defineConfig({ ... })`,
    )
  return loaded.default
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ERR_MODULE_NOT_FOUND' && message.includes("'@concord/generate'"))
    return '@concord/generate is not installed here. Run: npm install --save-dev @concord/generate'
  return message ?? String(error)
}
