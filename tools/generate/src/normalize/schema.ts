import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, isList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { areDisjoint } from './disjoint.ts'
import { docText } from './docs.ts'
import { annotations, besideRef, isAnnotation } from './keywords.ts'
import type { PlainSchema } from './rules.ts'
import { typedSchema } from './typed-schema.ts'

/** Where a schema is used, as far as that changes what it means. */
export type SchemaUse =
  | 'value'
  /** A multipart form, whose parts may hold bytes. */
  | 'form'
  /** A part of a form. */
  | 'part'

/**
 * Turns a schema of a contract into one of the synthesized document. Every keyword is either carried over, in
 * full, or reported as a problem with its place; nothing is dropped.
 */
export function readSchema(
  contract: Contract,
  raw: Json | undefined,
  pointer: string,
  use: SchemaUse = 'value',
): PlainSchema {
  if (raw === true) return {}
  if (!isObject(raw)) {
    contract.refuse(
      pointer,
      raw === false ? 'a schema that accepts nothing cannot be expressed' : 'this is not a schema',
    )
    return {}
  }
  // A part may name a component that stands for bytes; only here are these bytes to send.
  const target = use === 'part' ? contract.resolve(raw) : raw
  const inlined = target !== raw && isObject(target) && isBytes(target)
  const schema = readAssertions(contract, inlined ? target : raw, pointer, use)
  const description = docText(raw) ?? (inlined ? docText(target) : undefined)
  return {
    ...schema,
    ...(description === undefined ? {} : { description }),
    ...(raw['deprecated'] === true ? { deprecated: true } : {}),
  }
}

/** Whether a schema stands for bytes where bytes can be sent. */
export function isBytes(raw: Json | undefined): boolean {
  return (
    isObject(raw) &&
    raw['contentMediaType'] === 'application/octet-stream' &&
    raw['contentEncoding'] === undefined
  )
}

function readAssertions(contract: Contract, raw: JsonObject, pointer: string, use: SchemaUse): PlainSchema {
  const keywords = Object.keys(raw).filter((key) => !isAnnotation(key))
  if (keywords.includes('$ref')) return readReference(contract, raw, pointer, keywords)
  const combination = keywords.find((key) => key === 'anyOf' || key === 'oneOf' || key === 'allOf')
  if (combination !== undefined)
    return readCombination(contract, raw, pointer, { keywords, key: combination })
  return typedSchema(contract, raw, pointer, {
    keywords,
    holdsBytes: use === 'part' && isBytes(raw),
    read: (inner, at, isProperty) =>
      readSchema(contract, inner, at, use === 'form' && isProperty ? 'part' : 'value'),
  })
}

function readReference(
  contract: Contract,
  raw: JsonObject,
  pointer: string,
  keywords: readonly string[],
): PlainSchema {
  const reference = String(raw['$ref'])
  for (const key of keywords) {
    if (key === '$ref') continue
    contract.refuse(
      childPointer(pointer, key),
      `\`${key}\` beside \`$ref\`: only a description is allowed there`,
    )
  }
  for (const key of Object.keys(raw)) {
    if (!annotations.has(key) || besideRef.has(key)) continue
    contract.refuse(
      childPointer(pointer, key),
      `\`${key}\` beside \`$ref\` has no effect; put it into the component`,
    )
  }
  const component = contract.component(reference)
  if (component) return { $ref: `#/components/schemas/${component.name}` }
  contract.refuse(
    childPointer(pointer, '$ref'),
    `\`${reference}\` is not a component of this file; refer to #/components/schemas/<name>`,
  )
  return {}
}

function readCombination(
  contract: Contract,
  raw: JsonObject,
  pointer: string,
  { keywords, key }: { readonly keywords: readonly string[]; readonly key: string },
): PlainSchema {
  const list = raw[key]
  const at = childPointer(pointer, key)
  for (const other of keywords) {
    if (other === key) continue
    contract.refuse(childPointer(pointer, other), `\`${other}\` beside \`${key}\`: write it into each branch`)
  }
  if (!isList(list) || list.length === 0) {
    contract.refuse(at, `\`${key}\` needs a list of schemas`)
    return {}
  }
  const branches = list.map((branch, index) => readSchema(contract, branch, childPointer(at, index)))
  if (key === 'allOf') checkCombinable(contract, list, at)
  if (key === 'oneOf') checkDisjoint(contract, list, at)
  const [first = {}] = branches
  if (branches.length === 1) return first
  return key === 'allOf' ? { allOf: branches } : { anyOf: branches }
}

function checkCombinable(contract: Contract, list: readonly Json[], at: string): void {
  list.forEach((branch, index) => {
    const target = contract.resolve(branch)
    const [isObjectType, more] = isObject(target)
      ? [target['type'] === 'object', target['additionalProperties']]
      : [false]
    if (isObjectType && (more === undefined || more === true)) return
    contract.refuse(
      childPointer(at, index),
      '`allOf` can only combine open objects: type: object without additionalProperties',
    )
  })
}

/** `oneOf` means "exactly one", a union means "at least one": the same only where no value fits two branches. */
function checkDisjoint(contract: Contract, list: readonly Json[], at: string): void {
  const resolved = list.map((branch) => contract.resolve(branch))
  resolved.forEach((first, index) => {
    resolved.slice(index + 1).forEach((second, distance) => {
      if (areDisjoint(first, second, (raw) => contract.resolve(raw))) return
      contract.refuse(
        at,
        `\`oneOf\`: a value could fit branch ${index} and branch ${index + 1 + distance}, which a union accepts; ` +
          'use anyOf, or add a required property with a different const to both branches',
      )
    })
  })
}
