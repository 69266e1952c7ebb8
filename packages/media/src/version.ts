import { OptionsError, type Client, type OperationDescriptor } from '@concord/runtime'
import { checkOptionNames, requiredString, type OptionNames } from '@concord/runtime/internal'

/** Replaces the name or value of the version header. The effect on the service is not documented. @public */
export interface ServiceVersion {
  /** The name of the header. Default `X-Service-Version`, the name in the documentation. */
  readonly header?: string
  /** The value of the header. Default `2024-11-06`. */
  readonly value?: string
}

/** Patterns for a header name and value (RFC 9110, sections 5.1 and 5.5). They allow only ASCII without spaces. */
const FORMS = { header: /^[\w!#$%&'*+.^`|~-]+$/, value: /^[\x21-\x7e]+$/ } as const

const NAMES: OptionNames<ServiceVersion> = { header: true, value: true }

/** A client, or the wrapper that `withVersion` puts around it. */
export type Wire = Pick<Client, 'send' | 'exchange' | 'reportDrift' | 'clock'>

/** Wraps a client so that it sends the given version header instead of the one in the contract. */
export function withVersion(client: Client, version: ServiceVersion | undefined): Wire {
  if (version === undefined) return client
  checkOptionNames(version, NAMES, 'serviceVersion')
  for (const name of ['header', 'value'] as const) {
    if (version[name] === undefined) continue
    const text = requiredString(version[name], `serviceVersion.${name}`, 'Pass a string, or omit it.')
    if (FORMS[name].test(text)) continue
    throw new OptionsError(
      `serviceVersion.${name}`,
      `\`serviceVersion.${name}\` is not a valid header ${name === 'header' ? 'name' : 'value'}.`,
      'Pass only ASCII letters, digits and hyphens.',
    )
  }
  const known = new WeakMap<object, object>()
  const other = <Input, Output, ErrorBody, HeaderValues>(
    operation: OperationDescriptor<Input, Output, ErrorBody, HeaderValues>,
  ): OperationDescriptor<Input, Output, ErrorBody, HeaderValues> => {
    let changed = known.get(operation) as typeof operation | undefined
    if (changed === undefined) {
      changed = { ...operation, parameters: operation.parameters.map(rename) }
      known.set(operation, changed)
    }
    return changed
  }
  const rename = (parameter: OperationDescriptor['parameters'][number]) =>
    // The version is the only parameter with a constant value.
    parameter.value === undefined
      ? parameter
      : { ...parameter, name: version.header ?? parameter.name, value: version.value ?? parameter.value }
  return {
    send: (operation, input, options) => client.send(other(operation), input, options),
    exchange: (operation, input, options) => client.exchange(other(operation), input, options),
    reportDrift: (found) => client.reportDrift(found),
    clock: client.clock,
  }
}
