import type { Departure, Fidelity } from '../problems.ts'
import type { Json } from '../read/json.ts'
import type { Source } from '../read/source.ts'
import type { PlainSchema } from './rules.ts'
import type { SchemeModel } from './security-schemes.ts'
import type { AddressModel } from './servers.ts'

/** Everything that the files of one service are printed from. */
export interface ServiceModel {
  readonly title: string
  readonly version: string
  /** The files that it was read from, in the order of the table of services. */
  readonly sources: readonly Source[]
  /** The files that these refer to. */
  readonly referred: readonly Source[]
  /** Every type and schema, by the name of its type. */
  readonly schemas: ReadonlyMap<string, PlainSchema>
  /** Enums whose values have names. */
  readonly enums: readonly EnumModel[]
  readonly operations: readonly OperationModel[]
  /** The channels that a client opens. */
  readonly channels: readonly ChannelModel[]
  /** The text of the document about each of its tags. */
  readonly tags: ReadonlyMap<string, string | undefined>
  /** The security schemes that operations and channels name. */
  readonly schemes: readonly SchemeModel[]
  /** Everything that isn't generated as it is in the contract. */
  readonly departures: readonly Departure[]
  readonly fidelity: Fidelity
}

/** The values of a type, by the names that the contract has for them. */
export interface EnumModel {
  /** The name of the object with the values. */
  readonly name: string
  readonly type: string
  readonly values: { readonly [name: string]: Json }
}

/** One channel that a client opens. The descriptor is printed from it as it is; everything is seen from the client. */
export interface ChannelModel {
  readonly id: string
  readonly address: string
  readonly file: string
  readonly pointer: string
  /** The text of the contract about it, with its open places. */
  readonly doc: string | undefined
  readonly server: string
  /** The documented addresses of the server. */
  readonly servers: readonly AddressModel[]
  /** As for an operation. */
  readonly security: readonly (string | readonly string[])[]
  readonly securityOptional: boolean
  readonly schemes: readonly SchemeModel[]
  /** The parameters in the address. */
  readonly parameters: readonly { readonly name: string; readonly default?: string }[]
  /** The type of the parameters; undefined without any. */
  readonly parametersType: string | undefined
  readonly query: readonly { readonly name: string; readonly required: boolean }[]
  readonly sends: DirectionModel
  readonly receives: DirectionModel
  readonly replies: { readonly [sent: string]: readonly string[] }
  readonly rules: SocketRulesModel
  readonly secrets: readonly string[]
  readonly queryType: string
}

/** One direction of a channel. */
export interface DirectionModel {
  /** The type of the map from message keys to payloads. */
  readonly mapType: string
  readonly messages: readonly MessageModel[]
  /** The text of the contract about the operations of this direction. */
  readonly doc: string | undefined
}

/** One message of a channel. */
export interface MessageModel {
  readonly key: string
  readonly kind: 'json' | 'text' | 'binary'
  readonly contentType: string
  /** Where in the payload the value is by which a reply is recognized: a JSON pointer. */
  readonly correlation?: string
  /** The type of the payload; undefined for strings, and for bytes that have no name. */
  readonly type: string | undefined
  /** The values that distinguish it from the other messages of the service. */
  readonly tags: readonly TagModel[]
  readonly doc: string | undefined
}

/** A value at a JSON pointer in every message of a kind. */
export interface TagModel {
  readonly pointer: string
  readonly equals: string | number | boolean
}

/** x-socket-rules, as the descriptor has it. */
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

/** One operation of the contract. The descriptor is printed from it as it is. */
export interface OperationModel {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly file: string
  readonly pointer: string
  readonly summary: string | undefined
  readonly description: string | undefined
  /** The text about what the documentation of the service leaves open here. */
  readonly notShown: string | undefined
  readonly deprecated: boolean
  readonly tags: readonly string[]
  readonly server: string
  /** The documented addresses of the server. */
  readonly addresses: readonly AddressModel[]
  /** The names of security schemes; one is enough, and those in a list are sent together. */
  readonly security: readonly (string | readonly string[])[]
  readonly securityOptional: boolean
  /** The scopes that are needed, in words. */
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
  readonly errorType: string
  /** The name for the types of a success by its media type; undefined if it has only one. */
  readonly acceptsType: string | undefined
  /** Whether some part of the input must be given. */
  readonly inputRequired: boolean
  /** Whether the input has any part at all. */
  readonly hasInput: boolean
}

/** How to get the next page of a list, as the descriptor has it. */
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

/** One parameter, as the descriptor has it. */
export interface ParameterModel {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required: boolean
  /** The function of the runtime that writes a value, if it isn't written in the ordinary way. */
  readonly write?: string
  /** The constant value of a required header, which the client sends by itself. */
  readonly value?: string
  readonly doc?: string
}

/** A request body, as the descriptor has it. */
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
      /** As for a parameter. */
      readonly write?: string
    }
  }
  readonly doc?: string
}

/** A request body, and its other media types. */
export interface BodiesModel extends BodyModel {
  readonly others: readonly BodyModel[]
}

/** The documented headers of a response, as the descriptor has them. */
export interface HeadersModel {
  readonly type: string
  readonly kinds: { readonly [name: string]: HeaderKind }
}

/** The values that the text of a header is read as; the plural ones are arrays. */
export type HeaderKind = 'string' | 'number' | 'boolean' | 'strings' | 'numbers' | 'booleans' | 'json'

/** How the items of a stream are written, as the descriptor has it. */
export interface ItemsModel {
  readonly format: 'sse' | 'lines' | 'sequence'
  readonly item?: 'json' | 'text' | 'event' | 'json-event'
}

/** One documented response, as the descriptor has it. */
export interface ResponseModel {
  readonly status: string
  readonly kind: 'json' | 'text' | 'binary' | 'empty' | 'any' | 'items'
  readonly contentType?: string
  /** How the items of a stream are written. `type` is then that of an item. */
  readonly items?: ItemsModel
  /** A success whose status is not shown: another success is as good. */
  readonly openStatus?: true
  /** A success whose body is not shown: an absent one is as good as the one that is written. */
  readonly openBody?: true
  /** The type of the body. */
  readonly type?: string
  readonly openEnums: readonly { readonly path: readonly string[]; readonly values: readonly string[] }[]
  readonly rateMeanings?: readonly object[]
  /** Its documented headers: the type of their values, and how each is read. */
  readonly headerValues?: HeadersModel
  /** How its other media types are read. */
  readonly others?: readonly ResponseModel[]
  readonly doc?: string
  /** Its headers, in words. */
  readonly headers?: string
}
