import type { Contract } from '../read/contract.ts'
import { type JsonObject, asList, asObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import type { ChannelModel } from './model.ts'
import { pascalCase } from './names.ts'
import { readSchema } from './schema.ts'

interface Channel {
  readonly id: string
  readonly raw: JsonObject
  readonly pointer: string
}

/** Reads the address of a channel, and defines the type of its parameters. */
export function readAddress(
  contract: Contract,
  { id, raw, pointer }: Channel,
): Pick<ChannelModel, 'address' | 'parameters' | 'parametersType'> {
  const address = plainAddress(contract, String(raw['address']), childPointer(pointer, 'address'))
  const names = [...new Set([...address.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name))]
  const given = asObject(raw['parameters'])
  const at = childPointer(pointer, 'parameters')
  for (const name of Object.keys(given))
    if (!names.includes(name)) contract.note(childPointer(at, name), `\`${name}\` is not in the address`)
  if (names.length === 0) return { address, parameters: [], parametersType: undefined }
  const found = names.map((name) => {
    const place = childPointer(at, name)
    if (!Object.hasOwn(given, name)) {
      contract.note(childPointer(pointer, 'address'), `\`${name}\` is not described in \`parameters\``)
      return { name, schema: { type: 'string' }, fallback: undefined }
    }
    const parameter = contract.follow(given[name] ?? null, place)
    return {
      name,
      ...readParameter(contract, asObject(parameter.raw), parameter.pointer),
    }
  })
  const required = found.filter(({ fallback }) => fallback === undefined).map(({ name }) => name)
  const schema = {
    type: 'object',
    properties: Object.fromEntries(found.map((each) => [each.name, each.schema])),
    ...(required.length > 0 ? { required } : {}),
    description: `The parameters in the address of \`${id}\`.`,
  }
  const type = `${pascalCase(id)}Parameters`
  return {
    address,
    parameters: found.map(({ name, fallback }) => ({
      name,
      ...(fallback === undefined ? {} : { default: fallback }),
    })),
    parametersType: contract.define(type, readSchema(contract, schema, at), at),
  }
}

function readParameter(
  contract: Contract,
  raw: JsonObject,
  pointer: string,
): { readonly schema: JsonObject; readonly fallback: string | undefined } {
  if (raw['location'] !== undefined)
    contract.note(
      childPointer(pointer, 'location'),
      'the value is passed by the caller; where else it is found is not looked into',
    )
  const values = asList(raw['enum']).map(String)
  return {
    schema: {
      type: 'string',
      ...(values.length > 0 ? { enum: values } : {}),
      ...(typeof raw['description'] === 'string' ? { description: raw['description'] } : {}),
    },
    fallback: raw['default'] === undefined || raw['default'] === null ? undefined : String(raw['default']),
  }
}

/** Turns an address into a path relative to the base URL of the client. */
function plainAddress(contract: Contract, given: string, pointer: string): string {
  let address = given
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/[^/]*(.*)$/is.exec(address)
  if (absolute) {
    contract.note(
      pointer,
      'an address is a path; the server before it is part of the base URL that the caller passes',
    )
    address = absolute[1] ?? ''
  }
  if (address.includes('#')) {
    contract.note(pointer, 'a fragment is never sent')
    address = address.replace(/#.*$/s, '')
  }
  if (address.includes('?'))
    contract.note(pointer, 'an address is not meant to have a query; describe the query in the ws binding')
  if (!address.startsWith('/')) {
    if (!absolute) contract.note(pointer, `\`${given}\` doesn't begin with /, which is put before it`)
    address = `/${address}`
  }
  // Braces that don't enclose a name are encoded, because a URL can't contain them.
  return address.replaceAll(/\{[^{}]+\}|[{}]/g, (match) =>
    match.length > 1 ? match : encodeURIComponent(match),
  )
}
