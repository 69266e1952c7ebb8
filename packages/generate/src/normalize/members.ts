import type { ContractNode } from '../read/contract.ts'
import { isList } from '../read/json.ts'
import { didYouMean } from '../words/closest.ts'
import { text } from './docs.ts'

type Kind = 'document' | 'operation' | 'parameter' | 'requestBody' | 'mediaType' | 'encoding' | 'response'

/** The members of each kind of object, in OpenAPI 3.0 to 3.2. Members that start with `x-` are allowed everywhere. */
const MEMBERS: Readonly<Record<Kind, readonly string[]>> = {
  document: '$schema $self openapi info jsonSchemaDialect servers paths webhooks components security tags externalDocs'.split(' '),
  operation: 'tags summary description externalDocs operationId parameters requestBody responses callbacks deprecated security servers'.split(' '),
  parameter: 'name in description required deprecated allowEmptyValue style explode allowReserved schema content example examples'.split(' '),
  requestBody: ['description', 'content', 'required'],
  mediaType: ['schema', 'itemSchema', 'example', 'examples', 'encoding', 'itemEncoding', 'prefixEncoding'],
  encoding: 'contentType headers style explode allowReserved encoding itemEncoding prefixEncoding'.split(' '),
  response: ['summary', 'description', 'headers', 'content', 'links'],
} // prettier-ignore

const NAMES: Readonly<Record<Kind, string>> = {
  document: 'the document',
  operation: 'an operation',
  parameter: 'a parameter',
  requestBody: 'a request body',
  mediaType: 'a media type',
  encoding: 'the encoding of a part',
  response: 'a response',
}

/** AsyncAPI members that are read, or that clients don't need. All other members are reported as ignored. */
const READ = {
  'a channel': 'address bindings description externalDocs messages parameters servers summary tags title'.split(' '),
  'a message': 'bindings contentType correlationId deprecated description examples externalDocs headers name payload schemaFormat summary tags title'.split(' '),
  'an operation on a channel': 'action channel deprecated description externalDocs messages reply security summary tags title'.split(' '),
} // prettier-ignore

/** For each OpenAPI 3.2 member that clients don't support, the reason and what the caller does instead. */
const UNUSED: Readonly<Record<string, string>> = {
  itemEncoding: "clients don't encode the parts of a list; pass the whole body in encoded form",
  prefixEncoding: "clients don't encode the parts of a list; pass the whole body in encoded form",
}

/** Reports an object's members that clients don't support, or that OpenAPI doesn't define. */
export function noteUnknown(kind: Kind, node: ContractNode): void {
  for (const key of Object.keys(node.raw)) {
    const unused = kind === 'mediaType' || kind === 'encoding' ? UNUSED[key] : undefined
    if (unused !== undefined) node.note(`\`${key}\` is ignored: ${unused}`, key)
    if (key.startsWith('x-') || MEMBERS[kind].includes(key)) continue
    node.note(
      `\`${key}\` isn't a member that OpenAPI allows in ${NAMES[kind]}, so it is ignored${didYouMean(key, MEMBERS[kind])}`,
      key,
    )
  }
}

export function noteUnread(kind: keyof typeof READ, node: Pick<ContractNode, 'raw' | 'at'>): void {
  for (const key of Object.keys(node.raw))
    if (!READ[kind].includes(key) && !key.startsWith('x-'))
      node.at(key).note(`\`${key}\` of ${kind} is ignored`)
}

export function noteLinks(response: ContractNode): void {
  for (const [name, link] of response.at('links').members())
    link.note(`clients don't follow the link \`${name}\``)
}

export function headersDoc(response: ContractNode): string | undefined {
  const headers = response.at('headers').members()
  const lines = headers.map(([name, entry]) => {
    const about = text(entry.follow().raw['description'])?.split('\n\n')[0]?.replaceAll('\n', ' ')
    return `\`${name}\`${about === undefined ? '' : `: ${about}`}`
  })
  return lines.length === 0 ? undefined : `Response headers: ${lines.join('; ')}`
}

export function parameterList(list: ContractNode): readonly ContractNode[] {
  if (list.value !== undefined && !isList(list.value))
    list.widen("`parameters` isn't a list, so its parameters aren't sent; write a list instead")
  return list.items()
}

/** Reports paths that differ only in the names of their parameters. */
export function noteSamePaths(paths: ContractNode): void {
  const found = new Map<string, string>()
  for (const path of Object.keys(paths.raw)) {
    if (path.startsWith('x-')) continue
    const key = path.replaceAll(/\{[^}]*\}/g, '{}')
    const before = found.get(key)
    if (before !== undefined) paths.note(`a server can't tell this path apart from \`${before}\``, path)
    else found.set(key, path)
  }
}
