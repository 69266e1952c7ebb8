import { OptionsError } from '../core/errors.ts'
import type { ClientFacts, ServerFacts } from './facts.ts'

/** How a caller chooses among the documented addresses. */
export interface ServerChoice {
  /** The name of a documented server. Default: the first one. */
  readonly server?: string | undefined
  /** Values of the variables in its address. Default: those of the contract. */
  readonly serverVariables?: Readonly<Record<string, string | undefined>> | undefined
}

/**
 * Returns the base addresses of a client by option: the caller's own, or the documented ones.
 *
 * @param own The caller's own addresses, by option.
 * @throws OptionsError if one is missing, or if the choice names a server, a variable or a value that the contract doesn't
 * have.
 */
export function baseAddresses(
  { servers }: ClientFacts,
  own: Readonly<Record<string, unknown>>,
  { server, serverVariables = {} }: ServerChoice,
): Record<string, string> {
  const groups = Object.values(servers)
  const names = new Set(groups.flatMap((group) => Object.keys(group)))
  if (server !== undefined && !names.has(server)) throw unknownName('server', server, names)
  const variables = new Set(
    groups.flatMap((group) => Object.values(group)).flatMap((one) => Object.keys(one.variables ?? {})),
  )
  for (const name of Object.keys(serverVariables))
    if (!variables.has(name)) throw unknownName(`serverVariables.${name}`, name, variables)
  return Object.fromEntries(
    Object.entries(servers).map(([option, group]) => {
      const given = own[option]
      if (given !== undefined) return [option, given as string]
      const name = server !== undefined && Object.hasOwn(group, server) ? server : Object.keys(group)[0]
      if (name !== undefined) return [option, fill(group[name]!, serverVariables, option)]
      throw new OptionsError(
        option,
        `\`${option}\` is missing, and the contract has no absolute address.`,
        'Pass the address of the service, such as https://api.example.com/prefix.',
      )
    }),
  )
}

function fill(
  { url, variables = {} }: ServerFacts,
  values: ServerChoice['serverVariables'],
  option: string,
): string {
  return url.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const { enum: allowed, default: usual } = variables[name] ?? {}
    const value = values?.[name] ?? usual
    const at = `serverVariables.${name}`
    if (value === undefined) {
      throw new OptionsError(
        at,
        `\`${at}\` is missing: it is part of the address ${url}, and the contract has no default for it.`,
        `Pass it, or the whole address as \`${option}\`.`,
      )
    }
    if (allowed === undefined || allowed.includes(value)) return value
    throw new OptionsError(
      at,
      `\`${at}\` has a value that the contract doesn't list.`,
      `Pass one of ${allowed.join(', ')}, or the whole address as \`${option}\`.`,
    )
  })
}

function unknownName(option: string, name: string, known: ReadonlySet<string>): OptionsError {
  return new OptionsError(
    option,
    `\`${option}\`: the contract has no \`${name}\`.`,
    known.size === 0 ? 'Omit it.' : `Valid names: ${[...known].map((each) => `\`${each}\``).join(', ')}.`,
  )
}
