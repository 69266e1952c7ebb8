import { Ajv2020 } from 'ajv/dist/2020.js'

import { EmulatorOptionsError } from './errors.ts'
import type { Answerer } from './node-server.ts'
import { readBody } from './request-body.ts'
import type { JsonObject } from './specification.ts'

/** One command of the control interface over HTTP. */
export interface ControlCommand {
  /** The JSON Schemas of its arguments. */
  arguments: Readonly<Record<string, JsonObject>>
  /** The arguments that may be left out. */
  optional?: readonly string[]
  /** Whether it only reads, so that GET will do. */
  reads?: boolean
  // Arguments are checked against the schemas above before they get here.
  run(values: never): unknown
}

/** The commands of a service, by name. */
export type ControlCommands = Readonly<Record<string, ControlCommand>>

const PREFIX = '/_control/'
const LARGEST_BODY_BYTES = 16 * 1_048_576

/** Puts the control interface in front of a service, under `/_control/`. */
export function withControl(app: Answerer, commands: ControlCommands): Answerer {
  const ajv = new Ajv2020({ allErrors: true })
  const checks = new Map(
    Object.entries(commands).map(([name, { arguments: properties, optional = [] }]) => {
      const required = Object.keys(properties).filter((property) => !optional.includes(property))
      return [name, ajv.compile({ type: 'object', properties, required, additionalProperties: false })]
    }),
  )

  async function answer(request: Request, name: string): Promise<Response> {
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (!command)
      return reply(404, {
        detail: `There is no command ${name}. There are: ${Object.keys(commands).join(', ')}.`,
      })
    if (request.method !== 'POST' && !(request.method === 'GET' && command.reads))
      return reply(405, { detail: `The command ${name} takes POST${command.reads ? ' or GET' : ''}.` })
    const body = await readBody(request, LARGEST_BODY_BYTES)
    if (body.kind !== 'json' && body.kind !== 'none')
      return reply(400, { detail: 'The arguments must be a JSON object.' })
    const values = body.kind === 'json' ? body.value : {}
    const check = checks.get(name)
    if (check && !check(values))
      return reply(400, { detail: ajv.errorsText(check.errors, { dataVar: 'arguments' }) })
    try {
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
        ? answer(request, pathname.slice(PREFIX.length))
        : app.dispatch(request, remoteAddress)
    },
  }
}

function reply(status: number, json: unknown): Response {
  return Response.json(json, { status })
}
