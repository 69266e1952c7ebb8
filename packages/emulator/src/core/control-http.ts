import { isIP } from 'node:net'

import { Ajv2020 } from 'ajv/dist/2020.js'

import type { ControlCommands } from './control.ts'
import { checkNames, EmulatorOptionsError } from './errors.ts'
import { isObject } from './json.ts'
import type { Dispatcher } from './node-server.ts'
import { mediaEssence, readBody } from './request-body.ts'

const PREFIX = '/_control/'
const MAX_BODY_BYTES = 16 * 1_048_576

/** Serves the control interface under `/_control/`, in front of a service. */
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
        detail: `Unknown command \`${name}\`. Commands: ${Object.keys(commands).join(', ')}.`,
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
        checkNames(values, Object.keys(command.arguments), `the command ${name}`, 'argument')
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
 * Returns why a request is denied, or `undefined` if it is allowed. The checks prevent web pages in the developer's
 * browser from controlling the emulator. `Sec-Fetch-Site` and `Origin` reveal pages of other sites. A public name in
 * `Host` reveals DNS rebinding, where the host name of a malicious page resolves to this machine. If these checks
 * miss a request, it still can't change anything: POST requires JSON, which a page of another site can't send
 * without a CORS preflight.
 */
function denyForeignPage(request: Request): string | undefined {
  const { hostname } = new URL(request.url)
  if (!isNotPublicAddress(hostname))
    return `The control interface denies requests to the public host name ${hostname}, because a malicious web page could use such a name to reach the emulator (DNS rebinding). Use an IP address, localhost, or a name that only your network knows.`
  const origin = request.headers.get('origin')
  const isForeignOrigin =
    origin !== null && !(URL.canParse(origin) && isNotPublicAddress(new URL(origin).hostname))
  if (isForeignOrigin || request.headers.get('sec-fetch-site') === 'cross-site')
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

/**
 * Whether a host is certain not to be a public name: it is an IP address, a name without a dot (such as the name of a
 * container), or a reserved name.
 */
function isNotPublicAddress(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '')
  if (isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || !name.includes('.')) return true
  return PRIVATE_NAMES.some((reserved) => name.endsWith(`.${reserved}`))
}
