import { isObject, type Json, type JsonObject } from './json.ts'

/** A value of a contract, and where it stands after following references: `#/a/b`, or `./other.yaml#/a/b`. */
export interface Place<T = Json> {
  value: T
  pointer: string
}

/** Finds values of a contract by JSON Pointer, following references on the way. */
export interface References {
  /** Nothing where there is no such value. */
  resolve(pointer: string): Place | undefined
  /** Nothing where there is no object. */
  object(pointer: string): Place<JsonObject> | undefined
  /** @throws Error where there is no object. */
  demand(pointer: string): Place<JsonObject>
}

/**
 * Reads the documents of a contract: the main one under the name `''`, and those that it refers to under the names
 * that it uses, for instance `./openapi.yaml`.
 */
export function readReferences(documents: Readonly<Record<string, JsonObject>>): References {
  function resolve(pointer: string): Place | undefined {
    const [file = '', path = ''] = pointer.split('#')
    const document = Object.hasOwn(documents, file) ? documents[file] : undefined
    if (!document) throw new Error(`The contract refers to ${pointer}, outside of itself.`)
    let value: Json = document
    let at = `${file}#`
    for (const part of path.split('/').slice(1)) {
      const target = follow(value, at)
      const container: Json | undefined = target?.value
      if (container === null || typeof container !== 'object') return undefined
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
      const child: Json | undefined = (container as JsonObject)[key]
      if (child === undefined) return undefined
      value = child
      at = `${target?.pointer}/${part}`
    }
    return follow(value, at)
  }

  function follow(value: Json, pointer: string): Place | undefined {
    const reference = isObject(value) ? value['$ref'] : undefined
    if (typeof reference !== 'string') return { value, pointer }
    return resolve(reference.startsWith('#') ? pointer.split('#')[0] + reference : reference)
  }

  function object(pointer: string): Place<JsonObject> | undefined {
    const target = resolve(pointer)
    return target && isObject(target.value) ? { value: target.value, pointer: target.pointer } : undefined
  }

  return {
    resolve,
    object,
    demand(pointer) {
      const target = object(pointer)
      if (!target) throw new Error(`The contract has no object at ${pointer}.`)
      return target
    },
  }
}

/** A name as a part of a JSON Pointer. */
export function escapePointer(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1')
}
