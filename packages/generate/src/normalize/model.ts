import type { Departure, Fidelity } from '../problems.ts'
import type { Json } from '../read/json.ts'
import type { Source } from '../read/source.ts'
import type { PlainSchema } from './rules.ts'
import type { SchemeModel } from './security-schemes.ts'
import type { AddressModel } from './servers.ts'

/** The model of one service. All generated files of the service are printed from it. */
export interface ServiceModel {
  readonly title: string
  readonly version: string
  /** The contracts: the OpenAPI document, then the AsyncAPI document. */
  readonly sources: readonly Source[]
  /** The documents that the contracts refer to. */
  readonly referred: readonly Source[]
  /** All schemas, by the names of their types. */
  readonly schemas: ReadonlyMap<string, PlainSchema>
  readonly enums: readonly EnumModel[]
  readonly operations: readonly OperationModel[]
  /** The channels that a client opens. */
  readonly channels: readonly ChannelModel[]
  /** The documentation of each tag. */
  readonly tags: ReadonlyMap<string, string | undefined>
  /** The security schemes to which operations and channels refer. */
  readonly schemes: readonly SchemeModel[]
  /** All departures from the contract. */
  readonly departures: readonly Departure[]
  readonly fidelity: Fidelity
}

/** An enum whose values have names in the contract. */
export interface EnumModel {
  /** The name of the generated object with the values. */
  readonly name: string
  readonly type: string
  readonly values: { readonly [name: string]: Json }
}

/**
 * One channel that a client opens, from the client's point of view. The channel's descriptor is printed from this
 * model. A descriptor is the generated data that the runtime reads.
 */
export interface ChannelModel {
  readonly id: string
  readonly address: string
  readonly file: string
  readonly pointer: string
  /** The documentation of the channel, including a note about what the service's documentation doesn't say. */
  readonly doc: string | undefined
  readonly server: string
  /** The documented addresses of the server. */
  readonly servers: readonly AddressModel[]
  /** As in {@link OperationModel}. */
  readonly security: readonly (string | readonly string[])[]
  readonly securityOptional: boolean
  readonly schemes: readonly SchemeModel[]
  /** The parameters in the address. */
  readonly parameters: readonly { readonly name: string; readonly default?: string }[]
  /** The name of the type of the parameters; undefined if the address has no parameters. */
  readonly parametersType: string | undefined
  readonly query: readonly { readonly name: string; readonly required: boolean }[]
  readonly sends: DirectionModel
  readonly receives: DirectionModel
  readonly replies: { readonly [sent: string]: readonly string[] }
  readonly rules: SocketRulesModel
  readonly secrets: readonly string[]
  readonly queryType: string
}

export interface DirectionModel {
  /** The name of the type that maps message keys to payload types. */
  readonly mapType: string
  readonly messages: readonly MessageModel[]
  /** The documentation of the operations of this direction. */
  readonly doc: string | undefined
}

export interface MessageModel {
  readonly key: string
  readonly kind: 'json' | 'text' | 'binary'
  readonly contentType: string
  /** The JSON pointer to the correlation value in the payload. A message and its reply have the same value. */
  readonly correlation?: string
  /** The type of the payload; undefined for strings, and for bytes without a named type. */
  readonly type: string | undefined
  /** The constants by which a client recognizes the message. */
  readonly tags: readonly TagModel[]
  readonly doc: string | undefined
}

/** A constant that all payloads of one message have at a JSON pointer. */
export interface TagModel {
  readonly pointer: string
  readonly equals: string | number | boolean
}

/** The `x-socket-rules` of a channel. */
export interface SocketRulesModel {
  readonly keepAlive?: {
    readonly message: string
    readonly payload: Json
    readonly minIntervalMs: number
    readonly maxIntervalMs: number
  }
  readonly gate?: { readonly message: string }
  readonly replay?: readonly string[]
}

/** One operation of the contract. Its descriptor is printed from this model. */
export interface OperationModel {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly file: string
  readonly pointer: string
  readonly summary: string | undefined
  readonly description: string | undefined
  /** A note about what the service's documentation doesn't say. */
  readonly notShown: string | undefined
  readonly deprecated: boolean
  readonly tags: readonly string[]
  readonly server: string
  /** The documented addresses of the server. */
  readonly addresses: readonly AddressModel[]
  /** The names of security schemes. Each element is an alternative. Schemes in an inner list are sent together. */
  readonly security: readonly (string | readonly string[])[]
  readonly securityOptional: boolean
  /** A sentence about the required scopes. */
  readonly securityDoc: string | undefined
  readonly schemes: readonly SchemeModel[]
  readonly parameters: readonly ParameterModel[]
  readonly body: BodiesModel | undefined
  readonly responses: readonly ResponseModel[]
  readonly retry: { readonly class: string; readonly statuses?: readonly number[] | undefined }
  readonly outcome: { readonly id?: string; readonly lookUp?: string; readonly again?: string } | undefined
  readonly waiter: object | undefined
  readonly pagination: PaginationModel | undefined
  readonly secrets: readonly string[]
  readonly inputType: string
  readonly outputType: string
  /**
   * The name of the type that maps each media type to the type of the success response; undefined if callers can't
   * choose the media type.
   */
  readonly acceptsType: string | undefined
  /** Whether the input has a required part. */
  readonly inputRequired: boolean
  /** Whether the operation has parameters or a body that callers pass. */
  readonly hasInput: boolean
}

/** The part of a descriptor that says how to get the next page of a list. */
export interface PaginationModel {
  readonly by: 'cursor' | 'page' | 'offset' | 'link' | 'url'
  readonly items: string
  readonly parameter?: string
  readonly in?: 'body'
  readonly next?: string
  readonly first?: number
  readonly more?: string
  readonly total?: string
}

export interface ParameterModel {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required: boolean
  /** The name of the runtime function that serializes a value; undefined for the default serialization. */
  readonly write?: string
  /** The constant value of a required header, which callers don't pass. */
  readonly value?: string
  readonly doc?: string
}

export interface BodyModel {
  readonly kind: 'json' | 'multipart' | 'form' | 'binary' | 'text'
  readonly contentType: string
  readonly required: boolean
  readonly parts?: {
    readonly [name: string]: {
      readonly kind: 'file' | 'text' | 'json'
      readonly isList?: true
      readonly alternative?: 'json' | 'text'
      readonly contentTypes?: readonly string[]
      /** As in {@link ParameterModel}. */
      readonly write?: string
    }
  }
  readonly doc?: string
}

/** A request body in its default media type. `others` are the same body in its other media types. */
export interface BodiesModel extends BodyModel {
  readonly others: readonly BodyModel[]
}

/** The documented headers of a response. */
export interface HeadersModel {
  readonly type: string
  readonly kinds: { readonly [name: string]: HeaderKind }
}

/** The type that the string of a header is parsed into. Plural names mean arrays. */
export type HeaderKind = 'string' | 'number' | 'boolean' | 'strings' | 'numbers' | 'booleans' | 'json'

/** The part of a descriptor that says how the items of a stream are encoded. */
export interface ItemsModel {
  readonly format: 'sse' | 'lines' | 'sequence'
  readonly item?: 'json' | 'text' | 'event' | 'json-event'
}

export interface ResponseModel {
  readonly status: string
  readonly kind: 'json' | 'text' | 'binary' | 'empty' | 'any' | 'items'
  readonly contentType?: string
  readonly items?: ItemsModel
  /**
   * Set for a success response if the service's documentation doesn't show its status. The response then also applies
   * to every success status that isn't documented.
   */
  readonly openStatus?: true
  /** Set for a success response if the service's documentation doesn't show its body. The body can then be absent. */
  readonly openBody?: true
  /** The type of the body, or of an item of a stream. */
  readonly type?: string
  readonly openEnums: readonly { readonly path: readonly string[]; readonly values: readonly string[] }[]
  readonly rateMeanings?: readonly object[]
  readonly headerValues?: HeadersModel
  /** The other media types of the response. */
  readonly others?: readonly ResponseModel[]
  readonly doc?: string
  /** The documentation of the headers, as one string. */
  readonly headers?: string
}
