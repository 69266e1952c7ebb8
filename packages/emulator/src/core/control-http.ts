import { BlockList, isIP } from 'node:net'

import { Ajv2020 } from 'ajv/dist/2020.js'

import type { ControlCommands } from './control.ts'
import { checkNames, EmulatorOptionsError } from './errors.ts'
import { isObject } from './json.ts'
import type { Dispatcher } from './node-server.ts'
import { mediaEssence, readBody } from './request-body.ts'

const PREFIX = '/_control/'
const MAX_BODY_BYTES = 16 * 1_048_576

/** Serves the control interface under `/_control/`, and passes all other requests to `app`. */
export function withControl(app: Dispatcher, commands: ControlCommands): Dispatcher {
  const ajv = new Ajv2020({ allErrors: true })
  const checks = new Map(
    Object.entries(commands).map(([name, { arguments: properties, optional = [] }]) => {
      const required = Object.keys(properties).filter((property) => !optional.includes(property))
      return [name, ajv.compile({ type: 'object', properties, required })]
    }),
  )

  async function respond(request: Request, name: string): Promise<Response> {
    const denied = denyForeignPage(request)
    if (denied !== undefined) return reply(403, { detail: denied })
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (!command)
      return reply(404, {
        detail: `Unknown command \`${name}\`. Valid commands: ${Object.keys(commands).join(', ')}.`,
      })
    if (request.method === 'GET' && command.reads) return reply(200, await command.run({} as never))
    if (request.method !== 'POST')
      return reply(405, {
        detail: `The command \`${name}\` only accepts POST${command.reads ? ' and GET' : ''}.`,
      })
    const contentType = request.headers.get('content-type') ?? ''
    if (mediaEssence(contentType) !== 'application/json')
      return reply(415, {
        detail: `Send the arguments of the command \`${name}\` as JSON, with the header "content-type: application/json". The request has ${contentType === '' ? 'no content type' : `the content type ${contentType}`}. Arguments: ${listArguments(command)}.`,
      })
    const body = await readBody(request, MAX_BODY_BYTES)
    if (body.kind !== 'json' && body.kind !== 'none')
      return reply(400, {
        detail: `The arguments of the command \`${name}\` must be a JSON object. Arguments: ${listArguments(command)}.`,
      })
    const values = body.kind === 'json' ? body.value : {}
    const check = checks.get(name)
    try {
      if (isObject(values))
        checkNames(values, Object.keys(command.arguments), `the command \`${name}\``, 'argument')
      if (check && !check(values))
        throw new EmulatorOptionsError(
          `${ajv.errorsText(check.errors, { dataVar: 'arguments' })}. Arguments of the command \`${name}\`: ${listArguments(command)}.`,
        )
      const result = await command.run(values as never)
      return reply(200, result === undefined ? { done: true } : result)
    } catch (error) {
      if (error instanceof EmulatorOptionsError || error instanceof RangeError)
        return reply(400, { detail: error.message })
      throw error
    }
  }

  return {
    ...app,
    dispatch(request, remoteAddress) {
      const { pathname } = new URL(request.url)
      return pathname.startsWith(PREFIX)
        ? respond(request, pathname.slice(PREFIX.length))
        : app.dispatch(request, remoteAddress)
    },
  }
}

/**
 * Returns why a request is denied, or `undefined` if it is allowed. Web pages in the developer's browser must not
 * control the emulator. `Sec-Fetch-Site` and `Origin` reveal pages of other sites. A public name in `Host` reveals
 * DNS rebinding: the host name of a malicious page resolves to this machine.
 *
 * As a second protection, POST requires JSON. A page of another site can send JSON only if the `cors` option allows
 * its origin.
 */
function denyForeignPage(request: Request): string | undefined {
  const { hostname } = new URL(request.url)
  if (!isAddress(hostname) && !isPrivateName(hostname))
    return `The control interface denies requests to the public host name ${hostname}, because a malicious web page could use such a name to reach the emulator (DNS rebinding). Use an IP address, localhost, a name without a dot, or a name under a private domain, such as \`emulator.internal\`.`
  const origin = request.headers.get('origin')
  const isForeign = origin !== null && !isTrustedOrigin(origin, hostname)
  if (isForeign || request.headers.get('sec-fetch-site') === 'cross-site')
    return 'The control interface denies requests from web pages of other sites.'
  return undefined
}

function listArguments({ arguments: properties, optional = [] }: ControlCommands[string]): string {
  const names = Object.keys(properties).map((name) => (optional.includes(name) ? `${name} (optional)` : name))
  return names.join(', ') || 'none, so send {}'
}

function reply(status: number, json: unknown): Response {
  return Response.json(json, { status })
}

/** Domains that the public DNS never resolves (RFC 6761, RFC 6762, RFC 8375, and ICANN's `internal`). */
const PRIVATE_NAMES = ['localhost', 'local', 'internal', 'test', 'invalid', 'example', 'home.arpa']

/** Returns whether a name has no dot (such as a container's name) or is in a private domain. */
function isPrivateName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '')
  return !name.includes('.') || PRIVATE_NAMES.some((reserved) => name.endsWith(`.${reserved}`))
}

/** Addresses of this machine and of local networks (RFC 1918, RFC 3927, RFC 4193, RFC 4291, RFC 6598). */
const LOCAL_ADDRESSES = new BlockList()
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const)
  LOCAL_ADDRESSES.addSubnet(network, bits, 'ipv4')
LOCAL_ADDRESSES.addAddress('::1', 'ipv6')
LOCAL_ADDRESSES.addSubnet('fc00::', 7, 'ipv6')
LOCAL_ADDRESSES.addSubnet('fe80::', 10, 'ipv6')

const withoutBrackets = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1')

const isAddress = (hostname: string): boolean => isIP(withoutBrackets(hostname)) !== 0

function isTrustedOrigin(origin: string, emulatorHost: string): boolean {
  const hostname = URL.parse(origin)?.hostname
  if (hostname === undefined || hostname === '') return false
  if (hostname === emulatorHost) return true
  if (!isAddress(hostname)) return isPrivateName(hostname)
  const address = withoutBrackets(hostname)
  return LOCAL_ADDRESSES.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
