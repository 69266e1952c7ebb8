import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, asList, asObject, combinedIn, isObject } from '../read/json.ts'
import { childPointer, pointerSegments } from '../read/pointer.ts'
import type { ContractObject } from './objects.ts'

/** A member of a body in one alternative of its schema. */
export interface Member {
  readonly schema: JsonObject
  /** Whether the member is required in that alternative. */
  readonly required: boolean
}

/** The schema of the body of the first documented success of an operation. */
export function successBody(contract: Contract, { pointer, value }: ContractObject): Json | undefined {
  const responses = asObject(value['responses'])
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))
  return success && bodyOf(contract, success[1], childPointer(pointer, 'responses', success[0]))
}

/** The schema of the first body of a response or a request. */
export function bodyOf(contract: Contract, entry: Json | undefined, pointer: string): Json | undefined {
  const { raw } = contract.follow(entry ?? null, pointer)
  const [media] = Object.values(asObject(asObject(raw)['content']))
  return asObject(media)['schema']
}

/** Whether a schema is a reference without a target. That is reported at its place, so no other report is necessary. */
export function isMissing(contract: Contract, schema: Json | undefined): boolean {
  return '$ref' in contract.resolveObject(schema)
}

/** The members that a JSON pointer into a body can refer to, one for each alternative with such a member. */
export function membersAt(contract: Contract, body: Json | undefined, pointer: string): readonly Member[] {
  let found: Member[] = alternatives(contract, body).map((schema) => ({ schema, required: true }))
  for (const name of pointerSegments(pointer)) {
    found = found.flatMap(({ schema, required }) => {
      const properties = asObject(schema['properties'])
      if (!Object.hasOwn(properties, name)) return []
      const always = required && asList(schema['required']).includes(name)
      return alternatives(contract, properties[name]).map((inner) => ({ schema: inner, required: always }))
    })
  }
  return found
}

/** The alternatives of a schema: its target, and all branches of its combinations. */
function alternatives(contract: Contract, raw: Json | undefined): JsonObject[] {
  const schema = contract.resolve(raw ?? null)
  if (!isObject(schema)) return []
  const branches = combinedIn(schema, ['anyOf', 'oneOf', 'allOf'])
  return branches.length === 0 ? [schema] : branches.flatMap((branch) => alternatives(contract, branch))
}

/** The strings in a list; an empty list for any other value. */
export function strings(value: Json | undefined): readonly string[] {
  return asList(value).filter((entry) => typeof entry === 'string')
}
