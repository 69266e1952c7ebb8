import { loadSocketSpec, type LoadOptions, type SocketSpec, unsupportedSpec } from '@concord/spec-model'

/** Loads an AsyncAPI document with WebSocket channels, unless it is already loaded. @throws ContractError */
export async function socketSpecOf(
  source: string | SocketSpec,
  options: LoadOptions = {},
): Promise<SocketSpec> {
  return withChannels(typeof source === 'string' ? await loadSocketSpec(source, options) : source)
}

/**
 * Returns the document unchanged.
 *
 * @throws ContractError if the document has no WebSocket channel, since tests would then check nothing and pass.
 */
export function withChannels(spec: SocketSpec): SocketSpec {
  if (spec.channels.length > 0) return spec
  const { file, skipped } = spec
  const shown = skipped.slice(0, 3).map(({ id, reason }) => `\`${id}\` ${reason}`)
  const more = skipped.length > shown.length ? `; and ${skipped.length - shown.length} more` : ''
  const channels =
    shown.length === 0 ? 'no channels at all' : `only other channels (${shown.join('; ')}${more})`
  throw unsupportedSpec(
    `${file} has no WebSocket channel, so nothing can be tested. The document has ${channels}.`,
    'Pass an AsyncAPI document that has a channel with an `address` on a server with the protocol ws or wss.',
  )
}
