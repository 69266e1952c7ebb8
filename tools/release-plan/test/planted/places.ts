import type { Step } from '../support.ts'

/** By each change, with its verdicts on the wire and in TypeScript: an edit of the parcels contracts that makes it. */
export type PlantedChanges = Readonly<Record<string, readonly Step[]>>

/** Where the parts of the contracts are. */
export const SCHEMAS = '/components/schemas'
export const NEW = `${SCHEMAS}/NewParcel`
export const PARCEL = `${SCHEMAS}/Parcel`
export const FARE = `${PARCEL}/properties/fare`
export const DELIVERY = `${SCHEMAS}/Delivery`
export const SUBSCRIBE = `${SCHEMAS}/Subscribe`
export const LOCATED = `${SCHEMAS}/Located`
export const LIST = '/paths/~1parcels/get'
export const CREATE = '/paths/~1parcels/post'
export const GET = '/paths/~1parcels~1{id}/get'
export const LABEL = '/paths/~1parcels~1{id}/put'
export const HOOK = '/webhooks/parcelDelivered/post'
export const TRACKING = '/channels/tracking'
export const text = { type: 'string' }
export const ADDRESS = { $ref: '#/components/schemas/Address' }
