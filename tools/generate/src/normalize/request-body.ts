import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { docText } from './docs.ts'
import type { InputPart } from './input.ts'
import { type Media, isJson, readMedia } from './media.ts'
import type { BodyModel } from './model.ts'
import { acceptsAbsence } from './object-schema.ts'
import { rulesKey } from './rules.ts'
import { isBytes, readSchema } from './schema.ts'
import { secretNames } from './walk.ts'

/** Reads the request body of an operation; undefined where it has none. */
export function readRequestBody(
  contract: Contract,
  operation: JsonObject,
  pointer: string,
): InputPart<BodyModel> | undefined {
  if (operation['requestBody'] === undefined) return undefined
  const { raw, pointer: place } = contract.follow(
    operation['requestBody'],
    childPointer(pointer, 'requestBody'),
  )
  if (!isObject(raw)) return undefined
  const media = readMedia(contract, raw, place)
  if (!media) {
    contract.refuse(place, 'a request body needs a media type')
    return undefined
  }
  const kind = kindOf(media.contentType)
  if (!kind) {
    contract.refuse(media.pointer, `\`${media.contentType}\` is not written by the clients`)
    return undefined
  }
  const schema =
    kind === 'binary'
      ? { type: 'string' as const, [rulesKey]: { binary: true as const } }
      : readSchema(
          contract,
          media.raw['schema'],
          childPointer(media.pointer, 'schema'),
          kind === 'multipart' ? 'form' : 'value',
        )
  const doc = docText(raw)
  return {
    schema: doc === undefined ? schema : { ...schema, description: doc },
    open: kind !== 'binary' && acceptsAbsence(contract, media.raw['schema']),
    secrets: secretNames(contract, media.raw['schema']),
    model: {
      kind,
      contentType: media.contentType,
      required: raw['required'] === true,
      ...(kind === 'multipart' ? { parts: readParts(contract, media) } : {}),
      ...(doc === undefined ? {} : { doc }),
    },
  }
}

function kindOf(contentType: string): BodyModel['kind'] | undefined {
  if (isJson(contentType)) return 'json'
  if (contentType === 'multipart/form-data') return 'multipart'
  if (contentType.startsWith('multipart/') || contentType === 'application/x-www-form-urlencoded')
    return undefined
  return contentType.startsWith('text/') ? 'text' : 'binary'
}

function readParts(contract: Contract, media: Media): NonNullable<BodyModel['parts']> {
  const form = contract.resolve(media.raw['schema'] ?? true)
  const properties = isObject(form) && isObject(form['properties']) ? form['properties'] : {}
  const encoding = isObject(media.raw['encoding']) ? media.raw['encoding'] : {}
  for (const name of Object.keys(encoding)) {
    if (properties[name] !== undefined) continue
    contract.refuse(childPointer(media.pointer, 'encoding', name), 'there is no part of this name')
  }
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      readPart(contract, media, { name, property, encoding: encoding[name] }),
    ]),
  )
}

function readPart(
  contract: Contract,
  media: Media,
  {
    name,
    property,
    encoding,
  }: { readonly name: string; readonly property: Json; readonly encoding: Json | undefined },
): NonNullable<BodyModel['parts']>[string] {
  const hints = isObject(encoding) ? encoding : {}
  for (const key of Object.keys(hints)) {
    if (key === 'contentType' || key.startsWith('x-')) continue
    contract.refuse(
      childPointer(media.pointer, 'encoding', name, key),
      `\`${key}\` of a part is not written by the clients`,
    )
  }
  const contentTypes = typeof hints['contentType'] === 'string' ? hints['contentType'].split(/\s*,\s*/) : []
  const schema = contract.resolve(property)
  if (isBytes(schema)) return { kind: 'file', ...(contentTypes.length > 0 ? { contentTypes } : {}) }
  const type = isObject(schema) ? schema['type'] : undefined
  if (contentTypes.some(isJson)) return { kind: 'json' }
  if (type === 'array') {
    contract.refuse(
      childPointer(media.pointer, 'schema'),
      `the part \`${name}\` is a list, which is written only with encoding: contentType: application/json`,
    )
  }
  return { kind: type === 'object' ? 'json' : 'text' }
}
