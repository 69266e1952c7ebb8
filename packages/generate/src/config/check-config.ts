import { type Service, pascalCase } from '../services.ts'
import { isAddress, nameOf } from '../inputs.ts'
import { didYouMean } from '../words/closest.ts'
import type { Config, OverlaidOutput, ServiceConfig, SplitOutput } from './config.ts'

/** The config, or a file or folder that it names, can't be used. No generated file was written. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** The services of a config, and the folder that their paths are relative to. */
export interface CheckedConfig {
  readonly root: string
  readonly services: readonly Service[]
}

const configMembers = { root: true, services: true } satisfies Record<keyof Config, true>
const serviceMembers = {
  name: true,
  openapi: true,
  asyncapi: true,
  overlays: true,
  overlaid: true,
  output: true,
  className: true,
  strict: true,
  minFidelity: true,
  allowHosts: true,
  importExtension: true,
  isolatedDeclarations: true,
  index: true,
  readme: true,
} satisfies Record<keyof ServiceConfig, true>
const overlaidMembers = { openapi: true, asyncapi: true } satisfies Record<keyof OverlaidOutput, true>
const outputMembers = { client: true, validators: true, validatorsPackage: true } satisfies Record<
  keyof SplitOutput,
  true
>

/**
 * Checks the value that a config exports.
 *
 * @throws ConfigError naming the first wrong member, and saying what to do
 */
export function checkConfig(value: unknown): {
  readonly root: string
  readonly services: readonly Service[]
} {
  const config = members(value, 'the config', configMembers)
  const { root = '.', services } = config
  if (typeof root !== 'string') throw wrong('root', 'must be a path', root)
  if (!Array.isArray(services) || services.length === 0)
    throw wrong('services', 'must be a list with at least one service', services)
  const checked = services.map((service: unknown, index) => checkService(service, `services[${index}]`))
  for (const [index, { name, ...service }] of checked.entries()) {
    const before = checked.slice(0, index)
    if (before.some((other) => other.name === name))
      throw new ConfigError(
        `\`services[${index}].name\`: two services are called ${JSON.stringify(name)}; choose another name for one of them.`,
      )
    const folders = before.flatMap((other) => [other.client.folder, other.validators.folder])
    for (const folder of [service.client.folder, service.validators.folder])
      if (folders.includes(folder))
        throw new ConfigError(
          `\`services[${index}].output\`: ${folder} is already the folder of another service; each service would remove the ` +
            "other's files as stale. Use a separate folder for each service.",
        )
  }
  return { root, services: checked }
}

function checkService(value: unknown, at: string): Service {
  const service = members(value, `\`${at}\``, serviceMembers)
  const text = (name: keyof ServiceConfig, what: string): string => {
    const member = service[name]
    if (typeof member === 'string' && member !== '') return member
    throw wrong(`${at}.${name}`, `must be ${what}`, member)
  }
  const optional = (name: keyof ServiceConfig, what: string): string | undefined =>
    service[name] === undefined ? undefined : text(name, what)
  const texts = (name: keyof ServiceConfig, what: string): readonly string[] | undefined => {
    const member = service[name]
    if (member === undefined) return undefined
    if (
      Array.isArray(member) &&
      member.every((item): item is string => typeof item === 'string' && item !== '')
    )
      return member
    throw wrong(`${at}.${name}`, `must be a list of ${what}`, member)
  }
  const name = text('name', 'a name, such as `web-shop`')
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name))
    throw wrong(`${at}.name`, 'must have lowercase letters and digits, in words separated by hyphens', name)
  const { strict, minFidelity, importExtension, isolatedDeclarations } = service
  if (strict !== undefined && typeof strict !== 'boolean')
    throw wrong(`${at}.strict`, 'must be true or false', strict)
  if (
    minFidelity !== undefined &&
    !(typeof minFidelity === 'number' && minFidelity >= 0 && minFidelity <= 100)
  )
    throw wrong(`${at}.minFidelity`, 'must be a percentage from 0 to 100', minFidelity)
  if (importExtension !== undefined && importExtension !== '.ts' && importExtension !== '.js')
    throw wrong(`${at}.importExtension`, "must be '.ts' or '.js'", importExtension)
  if (isolatedDeclarations !== undefined && typeof isolatedDeclarations !== 'boolean')
    throw wrong(`${at}.isolatedDeclarations`, 'must be true or false', isolatedDeclarations)
  const { className } = service
  if (
    className !== undefined &&
    className !== false &&
    !(typeof className === 'string' && /^[A-Z][A-Za-z0-9]*$/.test(className))
  )
    throw wrong(`${at}.className`, 'must be the name of a class, such as `WebShop`, or false', className)
  const openapi = optional('openapi', 'the path or the URL of an OpenAPI document')
  const asyncapi = optional('asyncapi', 'the path or the URL of an AsyncAPI document')
  const [document, beside] = openapi === undefined ? [asyncapi, undefined] : [openapi, asyncapi]
  if (document === undefined)
    throw new ConfigError(
      `\`${at}\` names no contract: \`openapi\` or \`asyncapi\` must be the path or the URL of a document.`,
    )
  const overlays = texts('overlays', 'paths or URLs of overlays')
  const allowHosts = texts('allowHosts', 'host names')
  const index = optional('index', 'the path of a module')
  const readme = optional('readme', 'the path of a README')
  return {
    name,
    openapi: checkAddress(document, openapi === undefined ? `${at}.asyncapi` : `${at}.openapi`),
    ...(beside !== undefined && { asyncapi: checkAddress(beside, `${at}.asyncapi`) }),
    ...(overlays && { overlays: overlays.map((overlay) => checkAddress(overlay, `${at}.overlays`)) }),
    ...checkOverlaid(service.overlaid, `${at}.overlaid`, { openapi, asyncapi }),
    apiName: `${pascalCase(name)}Api`,
    ...(className !== false && { className: className ?? pascalCase(name) }),
    ...checkOutput(service.output, `${at}.output`),
    ...(index !== undefined && { index }),
    ...(readme !== undefined && { readme }),
    strict: strict ?? false,
    ...(minFidelity !== undefined && { minFidelity }),
    ...(allowHosts && { allowHosts }),
    importExtension: importExtension ?? '.js',
    ...(isolatedDeclarations !== undefined && { isolatedDeclarations }),
  }
}

function checkOverlaid(
  value: unknown,
  at: string,
  contracts: Readonly<Record<keyof OverlaidOutput, string | undefined>>,
): Pick<Service, 'overlaid'> {
  if (value === undefined) return {}
  const overlaid = members(value, `\`${at}\``, overlaidMembers)
  for (const name of ['openapi', 'asyncapi'] as const) {
    const path = overlaid[name]
    if (path === undefined) continue
    if (typeof path !== 'string' || !path.endsWith('.json'))
      throw wrong(`${at}.${name}`, 'must be the path of a .json file', path)
    if (contracts[name] === undefined)
      throw new ConfigError(`\`${at}.${name}\`: the service has no \`${name}\` document.`)
    if (plainPath(path) === plainPath(contracts[name]))
      throw new ConfigError(`\`${at}.${name}\` would overwrite the contract itself; use another path.`)
  }
  const { openapi, asyncapi } = overlaid as OverlaidOutput
  const [document, beside] = contracts.openapi === undefined ? [asyncapi, undefined] : [openapi, asyncapi]
  return {
    overlaid: {
      ...(document !== undefined && { openapi: plainPath(document) }),
      ...(beside !== undefined && { asyncapi: plainPath(beside) }),
    },
  }
}

/** Checks that a URL is valid and has no user name or password, which `fetch` rejects. Returns it; returns a path unchanged. */
function checkAddress(input: string, at: string): string {
  if (!isAddress(input)) return input
  const url = URL.canParse(input) ? new URL(input) : undefined
  if (url === undefined)
    throw new ConfigError(`\`${at}\` isn't a valid URL: ${JSON.stringify(nameOf(input))}.`)
  if (url.username !== '' || url.password !== '')
    throw new ConfigError(
      `\`${at}\`: a URL can't contain a user name or password. Download the document, and pass the path of the file instead.`,
    )
  return url.href
}

function checkOutput(output: unknown, at: string): Pick<Service, 'client' | 'validators'> {
  if (typeof output === 'string' && output !== '') {
    const folder = plainPath(output)
    return { client: { folder }, validators: { folder } }
  }
  if (typeof output !== 'object' || output === null)
    throw wrong(
      at,
      "must be a folder, such as 'src/gen', or an object with `client`, `validators` and `validatorsPackage`",
      output,
    )
  const { client, validators, validatorsPackage } = members(output, `\`${at}\``, outputMembers)
  for (const [name, member] of Object.entries({ client, validators, validatorsPackage }))
    if (typeof member !== 'string' || member === '')
      throw wrong(
        `${at}.${name}`,
        name === 'validatorsPackage' ? 'must be the name of a package' : 'must be a folder',
        member,
      )
  const folders = { client: plainPath(String(client)), validators: plainPath(String(validators)) }
  if (folders.client === folders.validators)
    throw new ConfigError(
      `\`${at}\`: both folders are the same; write it as one string instead: output: '${folders.client}'.`,
    )
  return {
    client: { folder: folders.client },
    validators: { packageName: String(validatorsPackage), folder: folders.validators },
  }
}

/** `src/gen` for `./src/gen/`. */
function plainPath(path: string): string {
  return (
    path
      .replaceAll('\\', '/')
      .replace(/^(?:\.\/)+/, '')
      .replace(/\/+$/, '') || '.'
  )
}

/** Returns an object whose members are all known. */
function members<Known extends object>(
  value: unknown,
  what: string,
  known: Record<keyof Known, true>,
): { readonly [Name in keyof Known]?: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ConfigError(`${what} must be an object, but is ${shown(value)}.`)
  const names = Object.keys(known)
  for (const name of Object.keys(value))
    if (!names.includes(name))
      throw new ConfigError(
        `${what} has an unknown member \`${name}\`${didYouMean(name, names) || `; the members are ${names.join(', ')}`}`,
      )
  return value as { readonly [Name in keyof Known]?: unknown }
}

function wrong(at: string, what: string, value: unknown): ConfigError {
  return new ConfigError(
    value === undefined ? `\`${at}\` is missing; it ${what}.` : `\`${at}\` ${what}, and is ${shown(value)}.`,
  )
}

function shown(value: unknown): string {
  return typeof value === 'function' ? 'a function' : (JSON.stringify(value) ?? String(value)).slice(0, 80)
}
