import {
  isObject,
  type Media,
  objectOf,
  type Operation,
  type Parameter,
  type ResponseSpec,
  type SchemaOracle,
} from '@concord/spec-model'
import { essenceOf, isJson, isText, typeToSend } from '../http/exchange.ts'
import { streamFormat } from '../http/item-streams.ts'
import { alternativesOf, isListType } from '../oracle/parameters.ts'
import { URL_ENCODED } from '../oracle/form-fields.ts'
import { fileBytes } from '../http/responder.ts'
import { generateHeaderValue, generateValid, type Fullness } from '../oracle/generate.ts'
import { seededRandom, type Random } from '../oracle/random.ts'
import type { CallInput } from './subject.ts'

/** An input for an operation. */
export interface RequestCase {
  /** The name of the example or, for a generated input, a description in parentheses. */
  readonly name: string
  readonly media?: Media
  readonly input: CallInput
  /** Whether the input deliberately contains characters that must be encoded. */
  readonly needsEncoding: boolean
  /**
   * The reason why the input can't be sent: the contract's example violates the contract, or no valid value was found.
   */
  readonly problem?: string
}

/** Returns the inputs with which the tests call an operation: the contract's examples, and generated inputs. */
export function requestCases(operation: Operation, oracle: SchemaOracle): readonly RequestCase[] {
  const maker = new InputMaker(operation, oracle)
  const cases: RequestCase[] = []
  for (const media of operation.body?.media ?? []) {
    for (const example of media.examples) {
      cases.push(maker.make(example.name, media, { value: example.value }, 'examples'))
    }
    cases.push(maker.make('(required only)', media, undefined, 'required'))
    cases.push(maker.make('(everything)', media, undefined, 'full'))
  }
  if (!operation.body) {
    cases.push(...maker.parameterExamples())
    if (operation.parameters.some((one) => !one.required)) {
      cases.push(maker.make('(required only)', undefined, undefined, 'required'))
    }
  } else if (!operation.body.required) cases.push(maker.make('(no body)', undefined, undefined, 'examples'))
  const reserved = maker.reservedCharacters(operation.body?.media[0])
  return reserved ? [...cases, reserved] : cases
}

export function firstOf(cases: readonly RequestCase[]): RequestCase | undefined {
  return cases.find(({ problem }) => problem === undefined) ?? cases[0]
}

/** Sets the input's `accept` to `media`, if the response has several media types and isn't a 4xx or 5xx. */
export function askingFor(
  request: RequestCase,
  response: ResponseSpec,
  media: Media | undefined,
): RequestCase {
  if (!media || response.media.length < 2 || Number(response.status[0]) >= 4) return request
  return { ...request, input: { ...request.input, accept: media.type } }
}

/** The number of attempts to generate a value that can be sent. A null in a path, for instance, can't be sent. */
const DRAWS = 5

/** Returns the key of {@link CallInput} for a parameter's `in`, for instance `headers` for `header`. */
export function memberOf(place: Parameter['in']): 'path' | 'query' | 'headers' | 'cookies' {
  return place === 'header' || place === 'cookie' ? `${place}s` : place
}

/** A string that must be percent-encoded in a path or a query. */
export const reservedText = 'a/b c?d=1&e#f%2Fg+ü'

class InputMaker {
  readonly #operation: Operation
  readonly #oracle: SchemaOracle
  readonly #random: Random

  constructor(operation: Operation, oracle: SchemaOracle) {
    this.#operation = operation
    this.#oracle = oracle
    this.#random = seededRandom(operation.id)
  }

  make(
    name: string,
    media: Media | undefined,
    body: { readonly value: unknown } | undefined,
    parameters: 'examples' | 'required' | 'full',
  ): RequestCase {
    const fullness: Fullness = parameters === 'required' ? 'required' : 'full'
    const rejected = media && body && this.#objection(media, body.value)
    const content = media?.schema
      ? (body ?? generateValid(this.#oracle, media.schema, this.#random, fullness))
      : (body ?? (media ? { value: '(bytes)' } : undefined))
    const parts = this.#parameters((parameter) =>
      parameter.required || parameters !== 'required' ? this.#value(parameter, 0) : undefined,
    )
    const problem =
      media && !content
        ? 'has no example, and no valid body could be generated; add an example'
        : (rejected ?? this.#missing(parts))
    return {
      name,
      needsEncoding: false,
      ...(problem !== undefined && { problem }),
      ...(media && content ? { media } : {}),
      input: {
        ...parts,
        ...(media && content
          ? { body: this.#body(media, content.value), contentType: typeToSend(media.type, content.value) }
          : {}),
      },
    }
  }

  #missing(input: { readonly [place: string]: unknown }): string | undefined {
    const missing = this.#operation.parameters.find(({ required, in: place, name, constant }) => {
      return required && constant === undefined && objectOf(input[memberOf(place)])[name] === undefined
    })
    return (
      missing &&
      `the parameter \`${missing.name}\` has no valid example, and no value could be generated; add an example`
    )
  }

  #objection({ type, schema }: Media, value: unknown): string | undefined {
    if (!schema || !(isJson(typeToSend(type, value)) || isForm(type))) return undefined
    const [issue] = this.#oracle.judge(schema, value, 'request')
    return issue && `the example violates the contract: ${issue.path || 'the value'} ${issue.reason}`
  }

  parameterExamples(): RequestCase[] {
    const most = Math.max(1, ...this.#operation.parameters.map((one) => one.examples.length))
    return Array.from({ length: most }, (_, index) => {
      const none = this.#operation.parameters.length > 0 ? '(generated)' : '(no parameters)'
      const names = this.#operation.parameters.flatMap((one) => one.examples[index]?.name ?? [])
      const input = this.#parameters((parameter) => this.#value(parameter, index))
      const problem = this.#missing(input)
      return {
        name: names.length > 0 ? [...new Set(names)].join(', ') : none,
        needsEncoding: false,
        ...(problem !== undefined && { problem }),
        input,
      }
    })
  }

  reservedCharacters(media: Media | undefined): RequestCase | undefined {
    const free = this.#operation.parameters.filter(
      (one) => one.in !== 'header' && this.#oracle.accepts(one.schema, reservedText),
    )
    if (free.length === 0) return undefined
    const plain = this.make('(reserved characters)', media, media?.examples[0], 'required')
    const encoded = this.#parameters((parameter) => {
      if (free.includes(parameter)) return reservedText
      return parameter.required ? this.#value(parameter, 0) : undefined
    })
    return { ...plain, needsEncoding: true, input: { ...plain.input, ...encoded } }
  }

  #parameters(
    value: (parameter: Parameter) => unknown,
  ): Pick<CallInput, 'path' | 'query' | 'headers' | 'cookies'> {
    const input = { path: {}, query: {}, headers: {} } as Record<string, Record<string, unknown>>
    for (const parameter of this.#operation.parameters) {
      // If a header has only one possible value, the client sends it automatically.
      if (parameter.in === 'header' && parameter.constant !== undefined) continue
      const given = value(parameter)
      if (given !== undefined) (input[memberOf(parameter.in)] ??= {})[parameter.name] = given
    }
    return input as unknown as Pick<CallInput, 'path' | 'query' | 'headers' | 'cookies'>
  }

  #value(parameter: Parameter, index: number): unknown {
    const isUsable = (value: unknown) =>
      this.#oracle.accepts(parameter.schema, value) &&
      (parameter.in !== 'path' || (value !== null && String(value) !== ''))
    const valid = parameter.examples.filter(({ value }) => isUsable(value))
    const named = parameter.examples[index]
    const example = named && valid.includes(named) ? named : valid[0]
    if (example) return example.value
    const generate =
      parameter.in === 'header' || parameter.in === 'cookie' ? generateHeaderValue : generateValid
    for (let draw = 0; draw < DRAWS; draw += 1) {
      const drawn = generate(this.#oracle, parameter.schema, this.#random, 'full')
      if (drawn && isUsable(drawn.value)) return drawn.value
    }
    return undefined
  }

  #body(media: Media, value: unknown): unknown {
    if (isWrittenByCaller(this.#oracle, media)) return fileBytes('(parts)')
    if (media.type !== 'multipart/form-data') {
      if (typeof value === 'string')
        return media.type.startsWith('text/') || /json/.test(media.type) ? value : fileBytes(value)
      // Clients don't serialize text formats such as XML: the caller passes a string. Any string will do here.
      return isText(media.type) && !isJson(media.type) && !streamFormat(media.type) ? 'generated text' : value
    }
    const properties = objectOf(objectOf(this.#oracle.deref(media.schema?.schema))['properties'])
    return Object.fromEntries(
      Object.entries(isObject(value) ? value : {}).map(([name, part]) => {
        const asFile = (one: unknown) => fileOf(String(one), media.partTypes[name])
        const kind = fileKind(this.#oracle, properties[name])
        if (kind === undefined) return [name, part]
        if (kind !== 'file' && Array.isArray(part)) return [name, part.map(asFile)]
        // If the part's schema has alternatives, the value can be something other than a file.
        return [name, kind === 'choice' && typeof part !== 'string' ? part : asFile(part)]
      }),
    )
  }
}

const isForm = (type: string): boolean => essenceOf(type) === URL_ENCODED

/** Returns true for a multipart body that the caller passes as bytes, since clients can't write its parts. */
export function isWrittenByCaller(oracle: SchemaOracle, { type, schema }: Media): boolean {
  const isString = objectOf(oracle.deref(schema?.schema))['type'] === 'string'
  return /^multipart\/(?!form-data)/i.test(type) || (/^multipart\//i.test(type) && isString)
}

/**
 * Returns whether a schema describes bytes. In OpenAPI 3.1, such a schema has a `contentMediaType`, but no
 * `contentEncoding`. The older spelling is `format: binary`.
 */
export function isFile(schema: unknown): boolean {
  const { contentMediaType, contentEncoding, format } = objectOf(schema)
  return (contentMediaType !== undefined && contentEncoding === undefined) || format === 'binary'
}

/**
 * Returns `file` if a form part holds one file, and `files` if it holds a list of files. Returns `choice` if the
 * schema has alternatives (`anyOf`, `oneOf`), and at least one of them describes a file or a list of files.
 */
export function fileKind(oracle: SchemaOracle, schema: unknown): 'file' | 'files' | 'choice' | undefined {
  const alternatives = alternativesOf(oracle, schema)
  if (alternatives.some((one) => kindOfFile(oracle, one) !== undefined)) return 'choice'
  return kindOfFile(oracle, oracle.deref(schema))
}

function kindOfFile(oracle: SchemaOracle, schema: unknown): 'file' | 'files' | undefined {
  const { type, items } = objectOf(schema)
  if (isFile(schema)) return 'file'
  return isListType(type) && isFile(oracle.deref(items)) ? 'files' : undefined
}

/** Returns whether a schema, or any schema inside it, describes a file. */
export function hasFile(oracle: SchemaOracle, schema: unknown, seen = new Set<unknown>()): boolean {
  if (Array.isArray(schema)) return schema.some((one) => hasFile(oracle, one, seen))
  if (!isObject(schema) || seen.has(schema['$ref'] ?? schema)) return false
  seen.add(schema['$ref'] ?? schema)
  const target = oracle.deref(schema)
  return isFile(target) || Object.values(objectOf(target)).some((one) => hasFile(oracle, one, seen))
}

export function typeOfFile(name: string): string | undefined {
  return typesByExtension[name.split('.').pop()?.toLowerCase() ?? '']
}

const typesByExtension: Record<string, string> = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  txt: 'text/plain',
}

/** Returns the file that a description such as `(the bytes of invoice.pdf)` represents. */
function fileOf(description: string, allowed: readonly string[] = []): File {
  const name = /([\w.-]+\.\w+)\)?$/.exec(description)?.[1]
  const known = name ? typeOfFile(name) : undefined
  const type = (known && (allowed.length === 0 || allowed.includes(known)) ? known : undefined) ?? allowed[0]
  const extension = Object.entries(typesByExtension).find(([, one]) => one === type)?.[0] ?? 'bin'
  return new File([fileBytes(description) as Uint8Array<ArrayBuffer>], name ?? `file.${extension}`, {
    type: type ?? 'application/octet-stream',
  })
}
