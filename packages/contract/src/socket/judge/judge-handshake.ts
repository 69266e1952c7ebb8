import { objectOf, schemaOracle, type SocketChannel, type SocketSpec } from '@concord/spec-model'
import { type Finding, finding } from '../../http/exchange.ts'
import { decode, readings } from '../../oracle/parameters.ts'
import { judgeSecurity, type Credentials } from '../../oracle/security.ts'
import { channelOf, queryTexts, type Handshake } from './channel-of.ts'

interface HandshakeVerdict {
  readonly channel?: SocketChannel
  readonly findings: readonly Finding[]
}

export function judgeHandshake(
  spec: SocketSpec,
  handshake: Handshake,
  credentials?: Credentials,
): HandshakeVerdict {
  const channel = channelOf(spec, handshake.target)
  if (!channel) {
    const message = `no channel has the path ${handshake.target.split('?')[0]}`
    return { findings: [finding('path', 'handshake.path', message)] }
  }
  const request = { method: 'GET', body: new Uint8Array(), ...handshake }
  return {
    channel,
    findings: [
      ...judgeQuery(spec, channel, handshake.target),
      ...judgeSecurity(spec, channel, request, credentials),
    ],
  }
}

/** A value such as `1` can be read as a string or a number. The schema must accept at least one of these readings. */
function judgeQuery(spec: SocketSpec, channel: SocketChannel, target: string): Finding[] {
  const oracle = schemaOracle(spec)
  const keys = Object.values(spec.securitySchemes).flatMap((one) =>
    one.type === 'apiKey' && one.in === 'query' ? [one.name] : [],
  )
  const texts = new Map([...queryTexts(target)].filter(([name]) => !keys.includes(name)))
  if (!channel.query) {
    return [...texts.keys()].map((name) =>
      finding('query', `handshake.query.${name}`, 'the channel declares no query parameters'),
    )
  }
  const schema = channel.query
  const properties = objectOf(objectOf(oracle.deref(schema.schema))['properties'])
  const value: Record<string, unknown> = {}
  for (const [name, raw] of texts) {
    const property = { pointer: `${schema.pointer}/read/${name}`, schema: properties[name] ?? true }
    const possible = readings(oracle, property.schema, raw.map(decode))
    value[name] = possible.find((one) => oracle.accepts(property, one)) ?? possible[0]
  }
  return oracle
    .judge(schema, value)
    .map(({ path, reason }) => finding('query', `handshake.query${path}`, reason))
}
