import { asList } from '../read/json.ts'
import type { ContractNode } from '../read/contract.ts'
import type { ChannelModel } from './model.ts'
import { pascalCase } from './names.ts'
import { readSchema } from './schema.ts'

/** Reads the address of a channel, and defines the type of its parameters. */
export function readAddress(
  id: string,
  channel: ContractNode,
): Pick<ChannelModel, 'address' | 'parameters' | 'parametersType'> {
  const address = plainAddress(channel.at('address'))
  const names = [...new Set([...address.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name))]
  const given = channel.at('parameters')
  for (const name of Object.keys(given.raw))
    if (!names.includes(name)) given.note(`\`${name}\` is not in the address`, name)
  if (names.length === 0) return { address, parameters: [], parametersType: undefined }
  const found = names.map((name) => {
    if (Object.hasOwn(given.raw, name)) return { name, ...readParameter(given.at(name).follow()) }
    channel.note(`\`${name}\` is not described in \`parameters\``, 'address')
    return { name, schema: { type: 'string' }, fallback: undefined }
  })
  const required = found.filter(({ fallback }) => fallback === undefined).map(({ name }) => name)
  const schema = given.with({
    type: 'object',
    properties: Object.fromEntries(found.map((each) => [each.name, each.schema])),
    ...(required.length > 0 ? { required } : {}),
    description: `The parameters in the address of \`${id}\`.`,
  })
  return {
    address,
    parameters: found.map(({ name, fallback }) => ({
      name,
      ...(fallback === undefined ? {} : { default: fallback }),
    })),
    parametersType: schema.define(`${pascalCase(id)}Parameters`, readSchema(schema)),
  }
}

function readParameter(parameter: ContractNode) {
  const { location, enum: listed, description, default: usual } = parameter.raw
  if (location !== undefined)
    parameter.note('the client ignores `location`; the caller passes the value of the parameter', 'location')
  const values = asList(listed).map(String)
  return {
    schema: {
      type: 'string',
      ...(values.length > 0 ? { enum: values } : {}),
      ...(typeof description === 'string' ? { description } : {}),
    },
    fallback: usual === undefined || usual === null ? undefined : String(usual),
  }
}

/** Turns an address into a path relative to the base URL of the client. */
function plainAddress(node: ContractNode): string {
  const given = String(node.value)
  let address = given
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/[^/]*(.*)$/is.exec(address)
  if (absolute) {
    node.note(
      'an address must be a path; the client ignores the server in this address and uses the base URL',
    )
    address = absolute[1] ?? ''
  }
  if (address.includes('#')) {
    node.note('the client leaves out the fragment of the address')
    address = address.replace(/#.*$/s, '')
  }
  if (address.includes('?'))
    node.note('an address is not meant to have a query; describe the query in the ws binding')
  if (!address.startsWith('/')) {
    if (!absolute) node.note(`\`${given}\` doesn't begin with /, so the client adds a slash`)
    address = `/${address}`
  }
  // Braces that don't enclose a name are encoded, because a URL can't contain them.
  return address.replaceAll(/\{[^{}]+\}|[{}]/g, (match) =>
    match.length > 1 ? match : encodeURIComponent(match),
  )
}
