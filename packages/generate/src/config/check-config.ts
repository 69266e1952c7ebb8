import { type Service, pascalCase } from '../services.ts'
import { isAddress, nameOf } from '../inputs.ts'
import { didYouMean } from '../words/closest.ts'
import type { Config, OverlaidOutput, ServiceConfig, SplitOutput } from './config.ts'

/**
 * Thrown if the config has a mistake, or if a file or folder that it names can't be used. No generated file was
 * written.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** The services of a config, and the folder that their paths are relative to. */
export interface CheckedConfig {
  readonly root: string
  readonly services: readonly Service[]
}

const configMembers = { root: true, services: true } satisfies Record<keyof Config, true>

const isText = (value: unknown) => typeof value === 'string' && value !== ''
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText)
const isFlag = (value: unknown) => typeof value === 'boolean'

/** The requirement for each member of a service, and its test. Other functions check `overlaid` and `output`. */
const serviceMembers: {
  readonly [name in keyof ServiceConfig]-?: readonly [what: string, test: (value: unknown) => boolean]
} = {
  name: ['must be a name, such as `web-shop`', isText],
  openapi: ['must be the path or the URL of an OpenAPI document', isText],
  asyncapi: ['must be the path or the URL of an AsyncAPI document', isText],
  overlays: ['must be a list of paths or URLs of overlays', isTexts],
  overlaid: ['', () => true],
  output: ['', () => true],
  className: [
    'must be the name of a class, such as `WebShop`, or false',
    (value) => value === false || (typeof value === 'string' && /^[A-Z][A-Za-z0-9]*$/.test(value)),
  ],
  strict: ['must be true or false', isFlag],
  minFidelity: [
    'must be a percentage from 0 to 100',
    (value) => typeof value === 'number' && value >= 0 && value <= 100,
  ],
  allowHosts: ['must be a list of host names', isTexts],
  importExtension: ["must be '.ts' or '.js'", (value) => value === '.ts' || value === '.js'],
  isolatedDeclarations: ['must be true or false', isFlag],
  index: ['must be the path of a module', isText],
  readme: ['must be the path of a README', isText],
}
const overlaidMembers = { openapi: true, asyncapi: true } satisfies Record<keyof OverlaidOutput, true>
const outputMembers = { client: true, validators: true, validatorsPackage: true } satisfies Record<
  keyof SplitOutput,
  true
>

/**
 * Checks the value that a config exports.
 *
 * @throws ConfigError naming the first wrong member
 */
export function checkConfig(value: unknown): CheckedConfig {
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
          `\`services[${index}].output\`: \`${folder}\` is already the folder of another service. In a shared folder, the generator would ` +
            "overwrite or remove one service's files. Use a separate folder for each service.",
        )
  }
  return { root, services: checked }
}

function checkService(value: unknown, at: string): Service {
  const given = Object.entries(members(value, `\`${at}\``, serviceMembers))
  const service = Object.fromEntries(given.filter(([, member]) => member !== undefined))
  for (const [name, [what, test]] of Object.entries(serviceMembers))
    if ((name === 'name' || name in service) && !test(service[name]))
      throw wrong(`${at}.${name}`, what, service[name])
  const { openapi, asyncapi, overlays, overlaid, output, className, ...others } =
    service as unknown as ServiceConfig
  const { name } = others
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name))
    throw wrong(
      `${at}.name`,
      'must start with a letter, and consist of words of lowercase letters and digits, separated by hyphens',
      name,
    )
  const [document, beside] = openapi === undefined ? [asyncapi, undefined] : [openapi, asyncapi]
  if (document === undefined)
    throw new ConfigError(
      `\`${at}\` has no contract. Set \`openapi\` or \`asyncapi\` to the path or the URL of a document.`,
    )
  return {
    strict: false,
    importExtension: '.js',
    ...others,
    openapi: checkAddress(document, openapi === undefined ? `${at}.asyncapi` : `${at}.openapi`),
    ...(beside !== undefined && { asyncapi: checkAddress(beside, `${at}.asyncapi`) }),
    ...(overlays && { overlays: overlays.map((overlay) => checkAddress(overlay, `${at}.overlays`)) }),
    ...(overlaid !== undefined && {
      overlaid: checkOverlaid(overlaid, `${at}.overlaid`, { openapi, asyncapi }),
    }),
    apiName: `${pascalCase(name)}Api`,
    ...(className !== false && { className: className ?? pascalCase(name) }),
    ...checkOutput(output, `${at}.output`),
  }
}

function checkOverlaid(
  value: unknown,
  at: string,
  contracts: Readonly<Record<keyof OverlaidOutput, string | undefined>>,
): OverlaidOutput {
  const paths = Object.entries(members(value, `\`${at}\``, overlaidMembers))
  const given = paths.flatMap(([name, path]) => {
    if (path === undefined) return []
    const contract = contracts[name as keyof OverlaidOutput]
    if (typeof path !== 'string' || !path.endsWith('.json'))
      throw wrong(`${at}.${name}`, 'must be the path of a .json file', path)
    if (contract === undefined)
      throw new ConfigError(
        `\`${at}.${name}\`: the service has no \`${name}\` document. Add \`${name}\` to the service, or remove \`${at}.${name}\`.`,
      )
    if (plainPath(path) === plainPath(contract))
      throw new ConfigError(`\`${at}.${name}\` would overwrite the contract itself; use another path.`)
    return [[contracts.openapi === undefined ? 'openapi' : name, plainPath(path)]]
  })
  return Object.fromEntries(given)
}

/**
 * Checks and normalizes a URL. Rejects a URL with credentials, because `fetch` would reject it. Returns a path
 * unchanged.
 */
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
      `\`client\` and \`validators\` of \`${at}\` are the same folder. Replace the object with a string, as in \`output: '${folders.client}'\`.`,
    )
  return {
    client: { folder: folders.client },
    validators: { packageName: String(validatorsPackage), folder: folders.validators },
  }
}

/** Normalizes a path: `./src/gen/` becomes `src/gen`. */
function plainPath(path: string): string {
  return (
    path
      .replaceAll('\\', '/')
      .replace(/^(?:\.\/)+/, '')
      .replace(/\/+$/, '') || '.'
  )
}

/** Returns `value` if it is an object without unknown members. @throws ConfigError otherwise */
function members<Known extends object>(
  value: unknown,
  what: string,
  known: Record<keyof Known, unknown>,
): { readonly [Name in keyof Known]?: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ConfigError(`${what} must be an object, but is ${shown(value)}.`)
  const names = Object.keys(known)
  for (const name of Object.keys(value))
    if (!names.includes(name))
      throw new ConfigError(
        `${what} has an unknown member \`${name}\`${didYouMean(name, names) || `; valid members: ${names.map((each) => `\`${each}\``).join(', ')}`}`,
      )
  return value as { readonly [Name in keyof Known]?: unknown }
}

function wrong(at: string, what: string, value: unknown): ConfigError {
  return new ConfigError(
    value === undefined ? `\`${at}\` is missing; it ${what}.` : `\`${at}\` ${what}, but is ${shown(value)}.`,
  )
}

function shown(value: unknown): string {
  return typeof value === 'function' ? 'a function' : (JSON.stringify(value) ?? String(value)).slice(0, 80)
}
